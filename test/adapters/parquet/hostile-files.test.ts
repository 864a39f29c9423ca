import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { boundedParquet } from '#adapters/parquet/read-parquet.ts';
import { fileOf } from '#test/support/file-of.ts';
import { numRuns } from '#test/support/num-runs.ts';
import { seededRandom } from '#test/support/seeded-random.ts';

/** Files that anybody may declare as a baseline: the host lives, whatever they do to their reader. */
const fixture = (name: string) => readFileSync(new URL(`../../fixtures/parquet/${name}.parquet`, import.meta.url));
const pairs = fixture('pyarrow-pairs');
const parquet = boundedParquet({ longest_ms: 10_000 });

/** Rows of the columns that could be read; null: it is no file, or one of its columns cannot be read. */
async function read(bytes: Uint8Array): Promise<number | null> {
  try {
    await using table = await parquet.open(fileOf(bytes));
    if (table === null) return null;
    let rows = 0;
    for (const column of table.columns.slice(0, 3)) {
      for await (const values of table.column(column)) rows += values.length;
    }
    return rows;
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return null;
  }
}

function replaced(bytes: Buffer, from: string, to: string): Buffer {
  const at = bytes.indexOf(Buffer.from(from, 'hex'));
  if (at < 0 || from.length !== to.length) throw new Error('nothing to replace');
  const copy = Buffer.from(bytes);
  copy.write(to, at, 'hex');
  return copy;
}

function withFooterOf(length: number): Buffer {
  const copy = Buffer.from(pairs);
  copy.writeUInt32LE(length, copy.byteLength - 8);
  return copy;
}

/** Page header: type, sizes (40), then the values (300), their encoding. */
const pageHeader = '1500155015502c15d80415101506';
const run = '014daaaaaaaaaaaa';

const hostile: readonly (readonly [string, Buffer])[] = [
  ['a run of two thousand million values in six bytes', replaced(pairs, run, '01feffffff0f0101')],
  ['a run that is longer than its page', replaced(pairs, run, '01a0faffff000101')],
  ['a page of a million million values', replaced(pairs, pageHeader, '1500155015502c15feffffff0f15')],
  ['a page of fewer than no values', replaced(pairs, pageHeader, '1500155015502c15d90415101506')],
  ['a page that inflates to gigabytes', replaced(pairs, '15001550', '1500fe7f')],
  ['a dictionary of no values', replaced(pairs, '4c15041500', '4c15001500')],
  ['indexes behind the end of the dictionary', replaced(pairs, run, '20ffffffffffffff')],
  ['a bit width of 255', replaced(pairs, run, 'ff4daaaaaaaaaaaa')],
  ['a footer as long as the file', withFooterOf(pairs.byteLength - 12)],
  ['a footer longer than the file', withFooterOf(pairs.byteLength)],
  ['a footer of four gigabytes', withFooterOf(0xffff_ffff)],
  ['an empty footer', withFooterOf(0)],
  ['a list of two thousand million columns', replaced(pairs, '1504192c', '1504f9ff')],
  ['a group of fewer than no rows', replaced(pairs, '16d804191c', '16d904191c')],
  ['the file twice', Buffer.concat([pairs, pairs])],
  ['nothing but its ends', Buffer.concat([pairs.subarray(0, 4), pairs.subarray(-8)])],
  ['no Parquet at all', Buffer.from('a'.repeat(4_096))],
  ['zeros', Buffer.alloc(4_096)],
];

describe('hostile Parquet files', () => {
  it.concurrent.each(hostile)('%s', { timeout: 60_000 }, async (_name, bytes) => {
    const rows = await read(bytes);
    expect(rows === null || rows <= 300).toBe(true);
  });

  it('a run of two thousand million values ends the reader, and the next file is read', {
    timeout: 60_000,
  }, async () => {
    expect(await read(hostile[0]?.[1] ?? pairs)).toBeNull();
    expect(await read(pairs)).toBe(300);
  });

  it('a reader is ended by its time', async () => {
    expect(await boundedParquet({ longest_ms: 1 }).open(fileOf(pairs))).toBeNull();
  });

  const sources = [
    'pyarrow-pairs',
    'pyarrow-plain',
    'pyarrow-zstd',
    'pyarrow-snappy',
    'pyarrow-gzip',
    'pyarrow-pages-2',
  ];

  it('changed at random places are read or refused', { timeout: 600_000 }, async () => {
    const random = seededRandom(20_261_201);
    const whole = (below: number) => Math.floor(random() * below);
    const changed = Array.from({ length: numRuns(40) }, (_none, index) => {
      const source = Buffer.from(fixture(sources[index % sources.length] ?? ''));
      // Half of them in the footer, where every size is.
      const footer = source.readUInt32LE(source.byteLength - 8);
      for (let left = 1 + whole(4); left > 0; left -= 1) {
        const at = random() < 0.5 ? whole(source.byteLength) : source.byteLength - 8 - whole(footer);
        source.writeUInt8([0, 0xff, 0x7f, 0x80, whole(256)][whole(5)] ?? 0, at);
      }
      return source;
    });
    const seen: (number | null)[] = [];
    for (let at = 0; at < changed.length; at += 2)
      seen.push(...(await Promise.all(changed.slice(at, at + 2).map(read))));
    expect(seen).toHaveLength(changed.length);
    expect(seen.some((rows) => rows === null)).toBe(true);
    expect(seen.some((rows) => rows !== null)).toBe(true);
  });
});
