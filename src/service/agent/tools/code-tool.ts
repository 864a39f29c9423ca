import { z } from 'zod';
import type { Json, JsonObject } from '#contract/json.ts';
import { isObject } from '#engine/values/kind.ts';
import { noPlaces } from '../workspace/line-places.ts';
import type { HeldFile, Workspace } from '../workspace/workspace.ts';
import { decode } from './file-text.ts';
import { makeTool, type ToolAnswer, type ToolError, toolError, toolResult } from './tool.ts';
import { workspaceProgram } from './workspace-program.ts';

/** docs/spec/verification.md §4.4, §4.5. */
const timeoutMs = 10_000;
const maxSourceCharacters = 65_536;
/** What travels to the interpreter with a call: on AWS it is all inside one invocation. */
const maxGivenBytes = 3 << 20;
const maxShownPrint = 16_384;

export const codeTool = makeTool({
  name: 'code.run',
  description: [
    'Runs Python (standard library only; no network, processes or host files) over the workspace, 10 s.',
    'The source defines `main(workspace)`; what it returns must be JSON. `workspace.list(below="/")` gives paths,',
    '`workspace.read_text(path)` and `workspace.read_bytes(path)` contents, `workspace.write_text(path, text)` writes',
    'below /work. `paths` names the files or folders it sees, 3 MiB in all; default: everything.',
  ].join(' '),
  needs: null,
  arguments: z.strictObject({
    source: z.string().min(1).max(maxSourceCharacters),
    paths: z.array(z.string().min(1).max(1_024)).max(100).optional(),
  }),
  run: async (ports, { workspace, started_at }, { source, paths }, signal): Promise<ToolAnswer> => {
    const files = givenFiles(workspace, paths ?? ['/']);
    if (files === null) return toolError('workspace_limit', 'over 3 MiB of files: name fewer in paths');
    const reply = await ports.sandbox.run(
      {
        source: workspaceProgram,
        entrypoint: '_run',
        inputs: { source, files },
        clock: started_at,
        timeout_ms: timeoutMs,
      },
      signal,
    );
    if (reply.kind === 'busy') return reply;
    if (reply.kind === 'failure') return toolError(reply.code, reply.reason ?? 'the code gave no answer');
    const written = takeWritten(workspace, reply.output, slotsOf(workspace, paths ?? ['/']));
    if ('kind' in written) return written;
    return toolResult({
      result: written.result,
      written: written.paths,
      printed: reply.printed.slice(0, maxShownPrint),
    });
  },
});

/** Text as text, other bytes as base64; null above the limit. */
function givenFiles(workspace: Workspace, paths: readonly string[]): JsonObject | null {
  const files: Record<string, Json> = Object.create(null);
  let bytes = 0;
  for (const file of chosen(workspace, paths)) {
    bytes += file.bytes.byteLength;
    if (bytes > maxGivenBytes) return null;
    files[file.path] = contentOf(file);
  }
  return { ...files };
}

function contentOf({ bytes }: HeldFile): JsonObject {
  const text = decode(bytes);
  return text === null ? { base64: Buffer.from(bytes).toString('base64') } : { text };
}

function chosen(workspace: Workspace, paths: readonly string[]): readonly HeldFile[] {
  return [...new Set(paths.flatMap((path) => workspace.below(path)))];
}

function slotsOf(workspace: Workspace, paths: readonly string[]): readonly string[] {
  return [...new Set(chosen(workspace, paths).flatMap(({ slots }) => slots))].sort();
}

/** The code's own words: what it says it wrote is taken only as texts at free paths below `/work`. */
function takeWritten(
  workspace: Workspace,
  output: Json,
  slots: readonly string[],
): { readonly result: Json; readonly paths: readonly string[] } | ToolError {
  if (!isObject(output) || !isObject(output.written) || output.result === undefined) {
    return toolError('malformed_output', 'the code gave no answer');
  }
  const paths: string[] = [];
  for (const [path, text] of Object.entries(output.written)) {
    if (typeof text !== 'string') return toolError('malformed_output', 'only text can be written');
    const bytes = new TextEncoder().encode(text);
    const wrote = workspace.write({ path, bytes, format: null, slots, places: noPlaces, whole: false });
    if (wrote !== 'written')
      return toolError(wrote === 'full' ? 'workspace_full' : 'not_work', 'files are written below /work');
    paths.push(path);
  }
  return { result: output.result, paths };
}
