import { fileTypeFromBuffer } from 'file-type';
import { type MediaFormat, nativeKinds, toMediaFormat } from '#contract/formats.ts';

/** Containers that a more particular declared format may share: telling them apart is the extractor's work. */
const containers: ReadonlySet<MediaFormat> = new Set(['zip', 'tar_gz']);
const insideContainers: ReadonlySet<MediaFormat> = new Set(['docx', 'xlsx', 'pptx', 'zip', 'tar_gz']);

/**
 * Whether bytes may be of the declared format: false when they plainly are of another one of ours, and for images, which
 * nothing reads before a model does, when they do not begin as one (docs/spec/verification.md §3.3). Text has no
 * signature, and a broken document may have lost it: what is not recognised is left to its reader.
 */
export async function mayBe(declared: MediaFormat, bytes: Uint8Array): Promise<boolean> {
  const found = await formatOf(bytes);
  if (nativeKinds[declared] === 'image') return found === declared;
  if (found === undefined || found === declared) return true;
  if (insideContainers.has(declared))
    return containers.has(found) || (declared === 'zip' && insideContainers.has(found));
  return false;
}

/** By the first bytes, and for containers by what they list; an image of any size costs no more than its header. */
async function formatOf(bytes: Uint8Array): Promise<MediaFormat | undefined> {
  try {
    const type = await fileTypeFromBuffer(bytes);
    // An animated PNG is a PNG that shows its first picture to whoever does not know better.
    if (type?.ext === 'apng') return 'png';
    return type === undefined ? undefined : (toMediaFormat(type.ext) ?? toMediaFormat(type.mime));
  } catch {
    return undefined;
  }
}
