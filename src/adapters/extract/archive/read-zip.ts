import { promisify } from 'node:util';
import { crc32, inflateRaw, inflateRawSync } from 'node:zlib';
import { inflateAside, inflateBudget, inflateWithin, unreadable } from './archive-limits.ts';
import { entryNames } from './entry-names.ts';
import { readZipDirectory, type ZipEntry } from './zip-directory.ts';

const inflateRawAside = promisify(inflateRaw);

/**
 * The files of a ZIP container by name, inflated and checked (docs/spec/verification.md §4.3: 10,000 entries, 200 MiB and
 * 100 times the container, counted while inflating). Every entry counts; `keep` says which stay in memory.
 * @throws ExtractFailure `extract_limit`, or `extract_unreadable` for what is broken, encrypted, overlapping or misnamed
 */
export function readZip(bytes: Uint8Array, keep: (name: string) => boolean): ReadonlyMap<string, Uint8Array> {
  const budget = inflateBudget(bytes.byteLength);
  const files = new Map<string, Uint8Array>();
  for (const entry of namedEntries(bytes)) {
    const data = bytes.subarray(entry.dataStart, entry.dataEnd);
    const content = inflateWithin(budget, (options) =>
      entry.method === 'stored' ? data : inflateRawSync(data, options),
    );
    checkContent(entry, content);
    if (!isFolder(entry) && keep(entry.name)) files.set(entry.name, content);
  }
  return files;
}

/** All files of the container, for a host that has other work to do meanwhile. @throws ExtractFailure as `readZip` */
export async function readZipAside(bytes: Uint8Array): Promise<ReadonlyMap<string, Uint8Array>> {
  const budget = inflateBudget(bytes.byteLength);
  const files = new Map<string, Uint8Array>();
  for (const entry of namedEntries(bytes)) {
    const data = bytes.subarray(entry.dataStart, entry.dataEnd);
    const content = await inflateAside(budget, async (options) =>
      entry.method === 'stored' ? data : inflateRawAside(data, options),
    );
    checkContent(entry, content);
    if (!isFolder(entry)) files.set(entry.name, content);
  }
  return files;
}

function namedEntries(bytes: Uint8Array): readonly ZipEntry[] {
  const names = entryNames();
  const entries = readZipDirectory(bytes);
  for (const { name } of entries) names.add(name);
  return entries;
}

function isFolder({ name }: ZipEntry): boolean {
  return name.endsWith('/');
}

function checkContent(entry: ZipEntry, content: Uint8Array): void {
  if (content.byteLength !== entry.size || crc32(content) !== entry.crc)
    throw unreadable('an entry of the container is broken');
  if (isFolder(entry) && content.byteLength > 0) throw unreadable('a folder of the container has content');
}
