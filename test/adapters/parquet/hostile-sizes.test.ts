import { readFileSync } from 'node:fs';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { FileMetaData } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { boundedParquet } from '#adapters/parquet/read-parquet.ts';
import type { RangedFile } from '#service/ports/parquet.ts';
import { fileOf } from '#test/support/file-of.ts';
import { withFooter, withMetadata, withPage } from '#test/support/parquet-parts.ts';

/** Files whose sizes and counts lie: none is read, and whatever it asks for ends with its reader. */
const fixture = (name: string) => readFileSync(new URL(`../../fixtures/parquet/${name}.parquet`, import.meta.url));
const pairs = fixture('pyarrow-pairs');
const parquet = boundedParquet({ longest_ms: 30_000 });

/** Of the first column; throws what reading threw, and `no Parquet` when nothing was opened. */
async function valuesOf(file: RangedFile): Promise<unknown[]> {
  await using table = await parquet.open(file);
  if (table === null) throw new Error('no Parquet');
  const all: unknown[] = [];
  for await (const values of table.column(table.columns[0] ?? '')) all.push(...values);
  return all;
}

const metadata = (change: (metadata: FileMetaData) => void) => withMetadata(pairs, change);
function replaced(from: string, to: string): Buffer {
  const at = pairs.indexOf(Buffer.from(from, 'hex'));
  if (at < 0 || from.length !== to.length) throw new Error('nothing to replace');
  return Buffer.concat([pairs.subarray(0, at), Buffer.from(to, 'hex'), pairs.subarray(at + to.length / 2)]);
}

const first = ({ row_groups: [group] }: FileMetaData) => {
  const chunk = group?.columns[0]?.meta_data;
  if (group === undefined || chunk === undefined) throw new Error('no column');
  return { group, chunk };
};
const deep = (depth: number) =>
  metadata((file) => {
    const leaf = file.schema.pop();
    for (let at = 0; at < depth; at += 1) file.schema.push({ name: 'x', num_children: 1, repetition_type: 'OPTIONAL' });
    if (leaf) file.schema.push(leaf);
    first(file).chunk.path_in_schema = Array.from({ length: depth + 1 }, () => 'x');
  });
const doubles = (values: readonly number[]) => Buffer.from(new Float64Array(values).buffer);
/** 512 MiB, one byte again and again. */
const zeros = Buffer.alloc(512 * 1_048_576);
/** Snappy: one zero, then copies of it. */
const snappyBomb = Buffer.concat([
  Buffer.from([0xff, 0xff, 0xff, 0xff, 0x07, 0x00, 0x00]),
  Buffer.alloc(3 * 1_048_576, Buffer.from([0xfe, 0x01, 0x00])),
]);
const bomb = { inflates_to: zeros.byteLength, values: zeros.byteLength / 8 };
const small = { inflates_to: 16, values: 2 };

const refused: readonly (readonly [string, () => Buffer])[] = [
  [
    'fewer rows than its groups',
    () =>
      metadata((file) => {
        file.num_rows = 299n;
      }),
  ],
  [
    'more rows than are ever read',
    () =>
      metadata((file) => {
        file.num_rows = 50_000_001n;
        first(file).group.num_rows = 50_000_001n;
        first(file).chunk.num_values = 50_000_001n;
      }),
  ],
  [
    'fifty million rows in a page of 300',
    () =>
      metadata((file) => {
        file.num_rows = 50_000_000n;
        first(file).group.num_rows = 50_000_000n;
        first(file).chunk.num_values = 50_000_000n;
      }),
  ],
  [
    'groups whose rows add up with fewer than none',
    () =>
      metadata((file) => {
        const { group } = first(file);
        file.row_groups.push({ ...group, num_rows: -300n }, { ...group });
      }),
  ],
  [
    'groups without end',
    () => {
      const file = metadata((all) => {
        const { group } = first(all);
        all.row_groups = Array.from({ length: 100_001 }, () => ({ ...group, num_rows: 0n, columns: [] }));
        all.num_rows = 0n;
      });
      return file;
    },
  ],
  [
    'another number of values than rows',
    () =>
      metadata((file) => {
        first(file).chunk.num_values = 301n;
      }),
  ],
  [
    'two chunks of one column',
    () => metadata((file) => void first(file).group.columns.push(...first(file).group.columns)),
  ],
  [
    'no chunk of its column',
    () =>
      metadata((file) => {
        first(file).group.columns = [];
      }),
  ],
  [
    'a chunk behind its end',
    () =>
      metadata((file) => {
        delete first(file).chunk.dictionary_page_offset;
        first(file).chunk.data_page_offset = 1n << 40n;
      }),
  ],
  [
    'a chunk of fewer than no bytes',
    () =>
      metadata((file) => {
        first(file).chunk.total_compressed_size = -5n;
      }),
  ],
  ['a column that stands a thousand deep', () => deep(1_000)],
  ['a column that stands in another', () => deep(1)],
  // The root of the schema, and how many columns it holds.
  ['columns that are said and missing', () => replaced('736368656d611502', '736368656d61157e')],
  ['a footer that opens structs without end', () => withFooter(pairs, Buffer.alloc(1_048_576, 0x1c))],
  [
    'a list of fifteen million empty groups',
    () => withFooter(pairs, Buffer.concat([Buffer.from('49fcc0c39307', 'hex'), Buffer.alloc(15_000_000)])),
  ],
  ['pages cut in half', () => Buffer.concat([pairs.subarray(0, 40), pairs.subarray(60)])],
  ['half of the file', () => pairs.subarray(0, pairs.byteLength / 2)],
  ['a gzip bomb that says so', () => withPage(pairs, { body: gzipSync(zeros), codec: 'GZIP', ...bomb })],
  ['a gzip bomb', () => withPage(pairs, { body: gzipSync(zeros), codec: 'GZIP', ...small })],
  ['a zstd bomb that says so', () => withPage(pairs, { body: zstdCompressSync(zeros), codec: 'ZSTD', ...bomb })],
  ['a zstd bomb', () => withPage(pairs, { body: zstdCompressSync(zeros), codec: 'ZSTD', ...small })],
  ['a snappy bomb that says so', () => withPage(pairs, { body: snappyBomb, codec: 'SNAPPY', ...bomb })],
  ['a snappy bomb', () => withPage(pairs, { body: snappyBomb, codec: 'SNAPPY', ...small })],
  [
    'more values than its page',
    () => withPage(pairs, { body: doubles([1, 2]), codec: 'UNCOMPRESSED', inflates_to: 16, values: 9_000_000 }),
  ],
];

describe('Parquet files whose sizes lie', () => {
  it.concurrent.each(refused)('%s', { timeout: 60_000 }, async (_name, make) => {
    await expect(valuesOf(fileOf(make()))).rejects.toThrow(
      /no Parquet|cannot be read|no part of the file|(other|fewer) rows/,
    );
  });

  it('the same files are read where nothing lies, or a chunk would only be longer than the file', {
    timeout: 60_000,
  }, async () => {
    expect(await valuesOf(fileOf(metadata(() => undefined)))).toEqual(await valuesOf(fileOf(pairs)));
    const longer = metadata((file) => {
      first(file).chunk.total_compressed_size = 1n << 40n;
    });
    expect(await valuesOf(fileOf(longer))).toEqual(await valuesOf(fileOf(pairs)));
    const two = doubles([1, 2]);
    expect(await valuesOf(fileOf(withPage(pairs, { body: two, codec: 'UNCOMPRESSED', ...small })))).toEqual([1, 2]);
    for (const [codec, body] of [['GZIP', gzipSync(two)] as const, ['ZSTD', zstdCompressSync(two)] as const])
      expect(await valuesOf(fileOf(withPage(pairs, { body, codec, ...small })))).toEqual([1, 2]);
  });

  it('ten thousand columns are columns', { timeout: 60_000 }, async () => {
    const wide = metadata((file) => {
      const { group } = first(file);
      const [root, leaf] = file.schema;
      const [column] = group.columns;
      if (!root || !leaf || !column?.meta_data) throw new Error('no column');
      const names = Array.from({ length: 10_000 }, (_none, index) => `x${index}`);
      file.schema = [{ ...root, num_children: names.length }, ...names.map((name) => ({ ...leaf, name }))];
      const { meta_data } = column;
      group.columns = names.map((name) => ({ ...column, meta_data: { ...meta_data, path_in_schema: [name] } }));
    });
    expect(await valuesOf(fileOf(wide))).toHaveLength(300);
  });

  it('a host that stops ends the reader, and says that it stopped', { timeout: 60_000 }, async () => {
    const stop = new AbortController();
    const stopping = boundedParquet({ longest_ms: 30_000, stopping: stop.signal });
    await using table = await stopping.open(fileOf(pairs));
    stop.abort();
    const read = async () => {
      for await (const _values of table?.column('x') ?? []);
    };
    await expect(read()).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    await expect(stopping.open(fileOf(pairs))).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
  });
});
