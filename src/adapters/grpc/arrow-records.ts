import { type RecordBatch, RecordBatchReader } from 'apache-arrow';
import type { JsonObject } from '#contract/json.ts';

/** A stream of Arrow that is not the table of samples. */
export class UnreadableSamples extends Error {
  override readonly name = 'UnreadableSamples';
}

/**
 * Records of one Arrow IPC stream of tall rows (docs/spec/wire.md §9.3), in the order of their first rows: as `POST
 * /v1/observations` takes them. The bytes are hostile; they are bounded by the message that holds them.
 */
export function arrowRecords(bytes: Uint8Array): readonly JsonObject[] {
  const records = new Map<
    string,
    { readonly head: JsonObject; readonly features: [string, number | string | null][] }
  >();
  for (const batch of batchesOf(bytes)) {
    const column = columnsOf(batch);
    for (let row = 0; row < batch.numRows; row += 1) {
      const head = headOf(column, row);
      const key = JSON.stringify(head);
      const record = records.get(key) ?? { head, features: [] };
      records.set(key, record);
      const number = column('num_value', row);
      const text = column('str_value', row);
      const value = typeof number === 'number' ? number : typeof text === 'string' ? text : null;
      record.features.push([textOf(column('series', row), 'series'), value]);
    }
  }
  return [...records.values()].map(({ head, features }) => ({ ...head, features: Object.fromEntries(features) }));
}

type Column = (name: string, row: number) => unknown;

function batchesOf(bytes: Uint8Array): readonly RecordBatch[] {
  try {
    return [...RecordBatchReader.from(bytes)];
  } catch (error) {
    throw new UnreadableSamples('arrow_ipc is no Arrow IPC stream', { cause: error });
  }
}

function columnsOf(batch: RecordBatch): Column {
  const names = new Map(batch.schema.fields.map(({ name }, index) => [name, index]));
  return (name, row) => {
    const index = names.get(name);
    return index === undefined ? null : (batch.getChildAt(index)?.get(row) ?? null);
  };
}

/** What the rows of one record share. */
function headOf(column: Column, row: number): JsonObject {
  const run = column('run_id', row);
  return {
    record_id: textOf(column('record_id', row), 'record_id'),
    subject_card_uid: textOf(column('subject_card_uid', row) ?? column('card_uid', row), 'card_uid'),
    run_id: typeof run === 'string' ? run : null,
    created_at: instantOf(column('created_at', row)),
  };
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new UnreadableSamples(`a row has no ${name}`);
  return value;
}

/** Timestamps of any unit are read as milliseconds, with a fraction. */
function instantOf(value: unknown): string {
  const milliseconds = typeof value === 'bigint' ? Number(value) : value;
  if (typeof milliseconds !== 'number' || !Number.isFinite(milliseconds) || Math.abs(milliseconds) > 8.64e15) {
    throw new UnreadableSamples('a row has no created_at');
  }
  const whole = Math.floor(milliseconds);
  const micros = String(Math.round((milliseconds - whole) * 1_000))
    .padStart(3, '0')
    .slice(0, 3);
  return new Date(whole).toISOString().replace('Z', `${micros}Z`);
}
