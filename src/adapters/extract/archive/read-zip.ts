import { crc32, inflateRawSync } from 'node:zlib';
import { type InflateBudget, inflateBudget, inflateWithin, unreadable } from './archive-limits.ts';
import { entryNames } from './entry-names.ts';
import { readZipDirectory, type ZipEntry } from './zip-directory.ts';

/**
 * The files of a ZIP container by name, inflated and checked (docs/spec/verification.md §4.3: 10,000 entries, 200 MiB and
 * 100 times the container, counted while inflating). Every entry counts; `keep` says which stay in memory.
 * @throws ExtractFailure `extract_limit`, or `extract_unreadable` for what is broken, encrypted, overlapping or misnamed
 */
export function readZip(
  bytes: Uint8Array,
  keep: (name: string) => boolean = () => true,
): ReadonlyMap<string, Uint8Array> {
  const budget = inflateBudget(bytes.byteLength);
  const names = entryNames();
  const files = new Map<string, Uint8Array>();
  for (const entry of readZipDirectory(bytes)) {
    names.add(entry.name);
    const content = readEntry(bytes, entry, budget);
    if (!entry.name.endsWith('/')) {
      if (keep(entry.name)) files.set(entry.name, content);
    } else if (content.byteLength > 0) throw unreadable('a folder of the container has content');
  }
  return files;
}

function readEntry(bytes: Uint8Array, entry: ZipEntry, budget: InflateBudget): Uint8Array {
  const data = bytes.subarray(entry.dataStart, entry.dataEnd);
  const content = inflateWithin(budget, (options) =>
    entry.method === 'stored' ? data : inflateRawSync(data, options),
  );
  if (content.byteLength !== entry.size || crc32(content) !== entry.crc)
    throw unreadable('an entry of the container is broken');
  return content;
}
