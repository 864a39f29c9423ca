import { z } from 'zod';
import { isExtractable } from '#contract/formats.ts';
import { placesOfValue } from '../workspace/line-places.ts';
import { jsonText } from '../workspace/pointed-lines.ts';
import type { HeldFile } from '../workspace/workspace.ts';
import { makeTool, type ToolAnswer, type ToolPorts, toolError, toolResult } from './tool.ts';

export const extractTool = makeTool({
  name: 'fs.extract',
  description:
    'Extracts one document of /inputs (pdf, docx, xlsx, pptx, csv, json, text, markdown, html) to a JSON file below /work, to be read with fs.read.',
  needs: null,
  arguments: z.strictObject({
    path: z.string().min(1).max(1_024),
    to: z.string().min(1).max(1_024).optional().describe('path below /work; default: the name of the document'),
  }),
  run: async (ports, { workspace }, { path, to }, signal) => {
    const file = path.startsWith('/inputs/') ? workspace.file(path) : undefined;
    if (file === undefined) return toolError('no_such_file', '/inputs has no file of that path');
    const target = to ?? `/work${path.slice('/inputs'.length)}.json`;
    const extracted = await extract(ports, file, signal);
    if (!('output' in extracted)) return extracted;
    const { output, warnings } = extracted;
    const bytes = new TextEncoder().encode(jsonText(output));
    const places = placesOfExtract(file, output);
    const written = workspace.write({ path: target, bytes, format: 'json', slots: file.slots, places, whole: false });
    if (written === 'not_work') return toolError('not_work', 'the target is no free path below /work');
    if (written === 'full') return toolError('workspace_full', '/work holds no more');
    return toolResult({ path: target, size_bytes: bytes.byteLength, format: file.format, warnings });
  },
});

async function extract(ports: ToolPorts, { bytes, format }: HeldFile, signal: AbortSignal) {
  if (format === null || !isExtractable(format)) {
    return toolError('not_extractable', 'files of that format are not extracted');
  }
  const reply = await ports.extract.extract({ format, bytes }, signal);
  if (reply.kind === 'failure') return toolError(reply.code, reply.reason ?? 'the document gives no output');
  return reply satisfies ToolAnswer | { readonly output: object };
}

/** Members of an archive have no place of their own, so neither has what is extracted from them. */
function placesOfExtract(file: HeldFile, output: Parameters<typeof placesOfValue>[0]) {
  const citable = file.format !== null && file.whole;
  return placesOfValue(output, citable ? { pointer: '', extracted: file.format } : undefined);
}
