import { readFileSync } from 'node:fs';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { parse } from 'yaml';
import type { Json, JsonObject } from '#contract/json.ts';
import type { RangedFile } from '#service/ports/parquet.ts';

/** One case of test/conformance/background/drift.yaml; the README beside it says what each key means. */
export interface DriftCase {
  readonly id: string;
  readonly title: string;
  readonly given: {
    readonly check?: JsonObject;
    readonly checks?: Readonly<Record<string, JsonObject>>;
    readonly baseline?: Readonly<Record<string, Json>>;
    readonly target?: Readonly<Record<string, Json>>;
    readonly window?: readonly [string, string];
    readonly observations?: readonly GivenObservation[];
    readonly verifier?: JsonObject;
  };
  readonly expect: {
    readonly fit?: 'ready' | { readonly failed: string };
    readonly outcome?: string;
    readonly report?: JsonObject | null;
    readonly selected?: readonly string[];
    readonly verdict?: string;
    readonly requirements?: Readonly<Record<string, string>>;
    readonly dispatches?: number;
    readonly refused?: { readonly code: string; readonly field?: string };
  };
}

export interface GivenObservation {
  readonly record_id: string;
  readonly ingested_at: string;
  readonly created_at: string;
  readonly features: Readonly<Record<string, number | string | null>>;
}

export function driftCases(): readonly DriftCase[] {
  return parse(readFileSync('test/conformance/background/drift.yaml', 'utf8')) as readonly DriftCase[];
}

export type Column = readonly (number | string | null)[];

/** A column as a case gives it: a list, or one of the generators of the README. */
export function columnOf(given: Json): Column {
  if (Array.isArray(given)) return given as Column;
  const [[kind, value]] = Object.entries(given as JsonObject) as [[string, never]];
  return generators[kind]?.(value) ?? [];
}

const generators: Readonly<Record<string, (given: never) => Column>> = {
  $range: ([start, count, step]: [number, number, number]) =>
    Array.from({ length: count }, (_u, i) => start + step * i),
  $repeat: ({ value, count }: { value: number | string; count: number }) => Array.from({ length: count }, () => value),
  $cycle: ({ values, count }: { values: Column; count: number }) =>
    Array.from({ length: count }, (_u, i) => values[i % values.length] ?? null),
  $mod: ({ count, mul, mod, add = 0, scale = 1 }: Record<'count' | 'mul' | 'mod' | 'add' | 'scale', number>) =>
    Array.from({ length: count }, (_u, i) => add + scale * ((i * mul) % mod)),
  $concat: (columns: Json[]) => columns.flatMap(columnOf),
};

/** A real Parquet file of those columns. */
export function parquetOf(columns: Readonly<Record<string, Json>>): RangedFile & { readonly bytes: Uint8Array } {
  const columnData = Object.entries(columns).map(([name, given]) => {
    const data = [...columnOf(given)];
    const isText = data.some((value) => typeof value === 'string');
    return { name, data, type: isText ? 'STRING' : 'DOUBLE' } as const;
  });
  const bytes = new Uint8Array(parquetWriteBuffer({ columnData }));
  return { bytes, size_bytes: bytes.byteLength, read: async (from, to) => bytes.subarray(from, to) };
}
