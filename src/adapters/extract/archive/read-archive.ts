import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Headers, extract as readTar } from 'tar-stream';
import { ExtractFailure } from '../extract-failure.ts';
import { checkEntryCount, inflateAside, inflateBudget, unreadable } from './archive-limits.ts';
import { entryNames } from './entry-names.ts';
import { readZipAside } from './read-zip.ts';

const gunzipAside = promisify(gunzip);

/**
 * The files of an archive by their relative paths, within the limits of a container (docs/spec/verification.md §4.3).
 * Folders are not listed. Links, devices, encrypted entries and paths that lead elsewhere are refused, not skipped.
 * @throws ExtractFailure `extract_limit` or `extract_unreadable`
 */
export async function readArchive(
  format: 'zip' | 'tar_gz',
  bytes: Uint8Array,
): Promise<ReadonlyMap<string, Uint8Array>> {
  if (format === 'zip') return readZipAside(bytes);
  const tar = await inflateAside(inflateBudget(bytes.byteLength), (options) => gunzipAside(bytes, options));
  try {
    return await filesOfTar(tar);
  } catch (cause) {
    throw cause instanceof ExtractFailure ? cause : unreadable('the file is not a whole tar archive', cause);
  }
}

async function filesOfTar(tar: Uint8Array): Promise<ReadonlyMap<string, Uint8Array>> {
  const names = entryNames();
  const files = new Map<string, Uint8Array>();
  let count = 0;
  const reading = readTar();
  reading.end(tar);
  for await (const entry of reading) {
    count += 1;
    checkEntryCount(count);
    const name = nameOf(entry.header);
    if (name !== null) names.add(name);
    const chunks: Uint8Array[] = [];
    for await (const chunk of entry) chunks.push(chunk);
    if (name !== null && !name.endsWith('/')) files.set(name, Buffer.concat(chunks));
  }
  return files;
}

/** `./` before every name, as `tar` writes it, is left out; null for the root itself. */
function nameOf({ name, type }: Headers): string | null {
  const plain = name.startsWith('./') ? name.slice(2) : name;
  if (type === 'directory') return plain === '' || plain === '.' ? null : plain.endsWith('/') ? plain : `${plain}/`;
  if (type === 'file' || type === 'contiguous-file') return plain;
  throw unreadable('the archive holds something else than files and folders');
}
