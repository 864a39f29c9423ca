import type { Json } from '#contract/json.ts';
import type { Work } from '#engine/index.ts';
import type { DriveInput, DrivePorts, Performed } from './performing.ts';
import { readMedia } from './read-media.ts';

export async function performExtract(
  ports: Pick<DrivePorts, 'evidence' | 'extract'>,
  input: Pick<DriveInput, 'tenant'>,
  work: Extract<Work, { kind: 'extract' }>,
  signal: AbortSignal,
): Promise<Performed> {
  const media = await readMedia(ports.evidence, input.tenant, work.media, signal);
  if (media.kind === 'failure') return { result: media };
  const reply = await ports.extract.extract({ format: work.media.format, bytes: media.bytes }, signal);
  if (reply.kind !== 'output') return { result: reply };
  if (work.require_text && !hasText(reply.output)) {
    return { result: { kind: 'failure', code: 'no_text_layer', retryable: false } };
  }
  return {
    result: { kind: 'output', output: reply.output },
    provenance: { kind: 'extract', version: reply.version },
    warnings: reply.warnings,
  };
}

/** Whether an extraction holds any text of the document; its own tags and numbers do not count (§17 require_text). */
function hasText(output: Json): boolean {
  if (typeof output === 'string') return output.trim() !== '';
  if (typeof output !== 'object' || output === null) return false;
  if (Array.isArray(output)) return output.some(hasText);
  return Object.entries(output).some(([name, value]) => !tags.has(name) && hasText(value));
}

const tags: ReadonlySet<string> = new Set(['format', 'kind', 'style', 'name', 'address']);
