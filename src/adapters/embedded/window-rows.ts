import type { StatementSync } from 'node:sqlite';
import type { FeatureValue, WindowLook, WindowRow } from '#service/ports/observations.ts';

const inWindow = 'tenant = ? AND subject_card_uid = ? AND ingested_at >= ? AND ingested_at < ?';
/** A reader that is to end does so only where its own code runs: it is asked now and then, so that no scan outlives its want. */
const goesOn = '(position % 1024 <> 0 OR goes_on())';

/** Most rows and bytes of a window that is read and sorted at one go. */
const small = { rows: 1_000, bytes: 1_048_576 };

const size = `SELECT count(*) AS rows, coalesce(sum(bytes), 0) AS bytes FROM (
  SELECT octet_length(features) AS bytes FROM observations WHERE ${inWindow} LIMIT ${small.rows + 1})`;

/** `where` and `then`: more conditions of the rows that are read, and of those that are sorted. */
const sorted = (where = '', then = '') => `SELECT record_id, features FROM (
    SELECT record_id, position, features,
      first_value(created_at) OVER (PARTITION BY record_id ORDER BY position) AS first_created
    FROM observations WHERE ${inWindow} ${where})
  ${then} ORDER BY first_created, record_id, position`;

/** Rows in their order (docs/spec/background.md §6.3): a record sent twice stands where its first ingested row stands. */
export const sortedRows = sorted();
/** The same, for a connection that has the function `goes_on`. */
export const interruptibleRows = sorted(`AND ${goesOn}`, `WHERE ${goesOn}`);

export function isSmall(prepare: (sql: string) => StatementSync, tenant: string, look: WindowLook): boolean {
  const { rows, bytes } = prepare(size).get(...placeOf(tenant, look)) ?? {};
  return Number(rows) <= small.rows && Number(bytes) <= small.bytes;
}

export function placeOf(tenant: string, { subject_card_uid, from, to }: WindowLook): [string, string, number, number] {
  return [tenant, subject_card_uid, from, to];
}

/** Sorted rows as records: the first value of each feature asked for, and none of records that carry no such. */
export function* recordsOf(
  rows: Iterable<Record<string, unknown>>,
  features: readonly string[],
): Generator<WindowRow, void, undefined> {
  const asked = new Set(features);
  let recordId: string | null = null;
  let values = new Map<string, FeatureValue>();
  for (const row of rows) {
    if (row.record_id !== recordId) {
      if (recordId !== null && values.size > 0) yield { record_id: recordId, values };
      recordId = String(row.record_id);
      values = new Map();
    }
    for (const [name, value] of JSON.parse(String(row.features)) as [string, FeatureValue][]) {
      if (asked.has(name) && !values.has(name)) values.set(name, value);
    }
  }
  if (recordId !== null && values.size > 0) yield { record_id: recordId, values };
}
