import type { ExecutionRecord } from '#service/ports/records.ts';
import type { Database } from './database.ts';

/** Rows of `records`. Writing functions run inside a transaction of the caller. */

/** Nothing happens when the execution has one already. */
export function insertRecord(
  database: Database,
  tenant: string,
  executionId: string,
  endedAt: string | null,
  record: ExecutionRecord | null,
): void {
  if (record === null) return;
  database
    .prepare(
      'INSERT OR IGNORE INTO records (tenant, execution_id, ended_at, state, sha256, text) VALUES (?, ?, ?, ?, ?, ?)',
    )
    .run(tenant, executionId, endedAt ?? '', record.state, record.sha256, record.text);
}

/** From a row with the columns `state`, `sha256` and `text`. */
export function toRecord(row: Record<string, unknown>): ExecutionRecord {
  return { state: row.state as ExecutionRecord['state'], sha256: String(row.sha256), text: String(row.text) };
}

export function readRecord(database: Database, tenant: string, executionId: string): ExecutionRecord | null {
  const row = database
    .prepare('SELECT state, sha256, text FROM records WHERE tenant = ? AND execution_id = ?')
    .get(tenant, executionId);
  return row ? toRecord(row) : null;
}
