import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parquetFiles } from '#adapters/parquet/read-parquet.ts';
import type { ColumnValue } from '#service/ports/parquet.ts';
import { fileOf } from '#test/support/file-of.ts';

/** Files of other programs (test/fixtures/parquet/README.md). */
const fixture = (name: string) => readFileSync(new URL(`../../fixtures/parquet/${name}.parquet`, import.meta.url));

async function columnsOf(name: string): Promise<Record<string, ColumnValue[]> | null> {
  await using table = await parquetFiles.open(fileOf(fixture(name)));
  if (table === null) return null;
  const columns: Record<string, ColumnValue[]> = {};
  for (const column of table.columns) {
    columns[column] = [];
    for await (const values of table.column(column)) columns[column].push(...values);
    expect(columns[column]).toHaveLength(table.rows);
  }
  return columns;
}

/** As sources/make.py makes it. */
const rows = Array.from({ length: 1_000 }, (_none, i) => i);
const table = {
  latency: rows.map((i) => ((i * 37) % 101) + i / 1_000),
  single: rows.map((i) => (i % 8) / 4),
  tokens: rows.map((i) => i - 500),
  bytes: rows.map((i) => i * 1_000_003),
  tier: rows.map((i) => (i % 3 === 0 ? 'silver é' : 'gold')),
  ok: rows.map((i) => i % 2 === 0),
};

describe('Parquet files of other programs', () => {
  it.each([
    'pyarrow-none',
    'pyarrow-plain',
    'pyarrow-snappy',
    'pyarrow-gzip',
    'pyarrow-zstd',
    'pyarrow-pages-2',
    'polars-zstd',
  ])('%s is read to the value', async (name) => {
    expect(await columnsOf(name)).toEqual(table);
  });

  it.each(['pyarrow-brotli', 'pyarrow-lz4'])('%s is of a codec that is not read', async (name) => {
    await expect(columnsOf(name)).rejects.toThrow('the file cannot be read');
  });

  it('has nulls, numbers that are not finite, and no lists', async () => {
    expect(await columnsOf('pyarrow-gaps')).toEqual({
      latency: Array.from({ length: 10 }, () => [1, null, 3]).flat(),
      finite: Array.from({ length: 10 }, () => [1, Number.NaN, 3]).flat(),
    });
  });

  it('may have no rows', async () => {
    const empty = await columnsOf('pyarrow-no-rows');
    expect(Object.values(empty ?? {}).flat()).toEqual([]);
    expect(Object.keys(empty ?? {})).toEqual(Object.keys(table));
  });

  it('is read again, and refuses to go on after a column that was left', async () => {
    await using file = await parquetFiles.open(fileOf(fixture('pyarrow-pairs')));
    const leave = async () => {
      for await (const _values of file?.column('x') ?? []) break;
    };
    const all: ColumnValue[] = [];
    for (const _time of [1, 2]) for await (const values of file?.column('x') ?? []) all.push(...values);
    expect(all).toHaveLength(600);
    await leave();
    await expect(leave()).rejects.toThrow('the column before was not read to its end');
  });

  it('says what reading its bytes threw, not that the file is none', async () => {
    const failure = new Error('the store does not answer');
    const bytes = fixture('pyarrow-none');
    let isFailing = false;
    const read = async (from: number, to: number) => {
      if (isFailing) throw failure;
      return bytes.subarray(from, to);
    };
    await using opened = await parquetFiles.open({ size_bytes: bytes.byteLength, read });
    isFailing = true;
    const values = async () => {
      for await (const _values of opened?.column('latency') ?? []);
    };
    await expect(values()).rejects.toBe(failure);
    const never = { size_bytes: bytes.byteLength, read: () => Promise.reject(failure) };
    await expect(parquetFiles.open(never)).rejects.toBe(failure);
  });
});
