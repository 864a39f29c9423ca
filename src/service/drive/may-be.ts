import { fileTypeFromBuffer } from 'file-type';
import { type MediaFormat, toMediaFormat } from '#contract/formats.ts';

/** Containers that a more particular declared format may share: telling them apart is the extractor's work. */
const containers: ReadonlySet<MediaFormat> = new Set(['zip', 'tar_gz']);
const insideContainers: ReadonlySet<MediaFormat> = new Set(['docx', 'xlsx', 'pptx', 'zip', 'tar_gz']);

/**
 * Whether bytes may be of the declared format: false only when they plainly are of another one of ours
 * (docs/spec/verification.md §3.3). Text has no signature, so what is not recognised is left to its reader.
 */
export async function mayBe(declared: MediaFormat, bytes: Uint8Array): Promise<boolean> {
  const type = await fileTypeFromBuffer(bytes);
  const found = type === undefined ? undefined : (toMediaFormat(type.ext) ?? toMediaFormat(type.mime));
  if (found === undefined || found === declared) return true;
  if (insideContainers.has(declared))
    return containers.has(found) || (declared === 'zip' && insideContainers.has(found));
  return false;
}
