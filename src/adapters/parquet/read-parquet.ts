import { z } from 'zod';
import type { ColumnValue, Parquet, ParquetTable, RangedFile } from '#service/ports/parquet.ts';
import { type Frame, jsonFrame, kinds } from './frames.ts';
import { type Limits, type ReaderProcess, startReader } from './reader-process.ts';
import { takeTurn } from './turns.ts';

/** A file of 2 GiB (docs/spec/background.md §6.5). */
const mostBytes = 2 * 1_073_741_824;
const leastBytes = 12;

const tableSchema = z.strictObject({ rows: z.int().min(0), columns: z.array(z.string()) });
const valuesSchema = z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]));

/**
 * Parquet by hyparquet, in a process of its own a file: a page of a few bytes can claim to be as many values as make
 * the engine give up, and that cannot be caught in the process it happens in (docs/decisions/background.md).
 */
export function boundedParquet(limits: Limits): Parquet {
  return { open: (file) => openFile(file, limits) };
}

/** A fit that waits for another one's file ends within its lease. Fifty million numbers are read in seconds. */
export const longestMs = 6 * 60_000;

export const parquetFiles = boundedParquet({ longest_ms: longestMs });

async function openFile(file: RangedFile, limits: Limits): Promise<ParquetTable | null> {
  if (file.size_bytes > mostBytes || file.size_bytes < leastBytes) return null;
  const end = await takeTurn();
  const failures: unknown[] = [];
  const reader = startReader(noting(file, failures), limits);
  const close = () => {
    reader.kill();
    end();
  };
  try {
    await reader.ask(jsonFrame(kinds.open, { size_bytes: file.size_bytes }));
    return tableOf(reader, tableSchema.parse(jsonOf(await reader.next(), kinds.table)), close);
  } catch (error) {
    close();
    // A store that does not answer says nothing about the file.
    if (failures.includes(error) || limits.stopping?.aborted) throw error;
    return null;
  }
}

function noting(file: RangedFile, failures: unknown[]): RangedFile {
  return {
    size_bytes: file.size_bytes,
    read: (from, to) =>
      file.read(from, to).catch((error: unknown) => {
        failures.push(error);
        throw error;
      }),
  };
}

function tableOf(
  reader: ReaderProcess,
  { rows, columns }: z.infer<typeof tableSchema>,
  close: () => void,
): ParquetTable {
  // What the reader still says of a column that was left would be taken for the next one.
  let isBetween = true;
  return {
    rows,
    columns,
    async *column(name) {
      if (!isBetween) throw new Error('the column before was not read to its end');
      isBetween = false;
      let left = rows;
      try {
        await reader.ask(jsonFrame(kinds.column, { name }));
        for (let frame = await reader.next(); frame.kind !== kinds.end; frame = await reader.next()) {
          const values = valuesOf(frame);
          left -= values.length;
          if (values.length === 0 || left < 0) throw new Error('a column has other rows than the table');
          yield values;
        }
        if (left > 0) throw new Error('a column has fewer rows than the table');
        isBetween = true;
      } finally {
        if (!isBetween) reader.kill();
      }
    },
    [Symbol.asyncDispose]: async () => close(),
  };
}

function valuesOf(frame: Frame): readonly ColumnValue[] {
  const { kind, payload } = frame;
  if (kind !== kinds.numbers) return valuesSchema.parse(jsonOf(frame, kinds.values));
  if (payload.byteLength % 8 !== 0) throw new Error('no whole numbers');
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  return Array.from({ length: payload.byteLength / 8 }, (_unused, index) => view.getFloat64(index * 8, true));
}

function jsonOf({ kind, payload }: Frame, wanted: number): unknown {
  if (kind !== wanted) throw new Error('an answer to another question');
  return JSON.parse(payload.toString('utf8'));
}
