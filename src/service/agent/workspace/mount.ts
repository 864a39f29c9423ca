import { toMediaFormat } from '#contract/formats.ts';
import type { WorkspaceFile } from '#engine/run/work.ts';
import { readMedia } from '../../drive/read-media.ts';
import type { Archives } from '../../ports/archives.ts';
import type { EffectFailure, Evidence } from '../../ports.ts';
import { noPlaces, placesOfFile, placesOfValue } from './line-places.ts';
import { jsonText } from './pointed-lines.ts';
import { createWorkspace, type HeldFile, type Workspace } from './workspace.ts';

/** Bytes that one workspace may hold: those of the largest container (docs/spec/verification.md §4.3). */
const maxBytes = 200 << 20;

export interface MountPorts {
  readonly evidence: Evidence;
  readonly archives: Archives;
}

/**
 * The workspace of one call. Everything is read and checked before the model is asked: evidence that is not what was
 * pinned fails the block, whether or not a tool would have looked at it.
 */
export async function mountWorkspace(
  ports: MountPorts,
  tenant: string,
  entries: readonly WorkspaceFile[],
  signal: AbortSignal,
): Promise<Workspace | EffectFailure> {
  const files: HeldFile[] = [];
  let left = maxBytes;
  for (const entry of entries) {
    const mounted = await mountEntry(ports, tenant, entry, left, signal);
    if ('kind' in mounted) return mounted;
    for (const file of mounted) left -= file.bytes.byteLength;
    if (left < 0) return tooMuch;
    files.push(...mounted);
  }
  return createWorkspace(files);
}

const tooMuch: EffectFailure = {
  kind: 'failure',
  code: 'extract_limit',
  retryable: false,
  reason: 'the workspace holds over 200 MiB',
};

async function mountEntry(
  ports: MountPorts,
  tenant: string,
  { path, content, slots, origin }: WorkspaceFile,
  left: number,
  signal: AbortSignal,
): Promise<readonly HeldFile[] | EffectFailure> {
  if (content.kind === 'value') {
    const bytes = new TextEncoder().encode(jsonText(content.value));
    return [{ path, bytes, format: 'json', slots, places: placesOfValue(content.value, origin), whole: false }];
  }
  const { media } = content;
  if (media.size_bytes > left) return tooMuch;
  const read = await readMedia(ports.evidence, tenant, media, signal);
  if (read.kind === 'failure') return read;
  if (media.format !== 'zip' && media.format !== 'tar_gz') {
    return [{ path, bytes: read.bytes, format: media.format, slots, places: placesOfFile(media.format), whole: true }];
  }
  const unpacked = await ports.archives.read(media.format, read.bytes, signal);
  if (unpacked.kind === 'failure') return unpacked;
  return [...unpacked.files].map(([name, bytes]) => ({
    path: `${path}/${name}`,
    bytes,
    format: toMediaFormat(name.slice(name.lastIndexOf('.') + 1)) ?? null,
    slots,
    // Archives have no locator of their own (§5.3).
    places: noPlaces,
    whole: false,
  }));
}
