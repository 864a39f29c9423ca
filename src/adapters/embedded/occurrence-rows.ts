import { type Occurrence, occurrencesKept } from '#service/ports/schedules.ts';
import type { Database } from './database.ts';

/** Inside a transaction of the caller; the oldest ones of the binding go. */
export function insertOccurrence(database: Database, tenant: string, bindingId: string, occurrence: Occurrence): void {
  database
    .prepare('INSERT INTO occurrences (tenant, binding_id, document) VALUES (?, ?, ?)')
    .run(tenant, bindingId, JSON.stringify(occurrence));
  database
    .prepare(
      `DELETE FROM occurrences WHERE position IN (
         SELECT position FROM occurrences WHERE tenant = ? AND binding_id = ? ORDER BY position DESC LIMIT -1 OFFSET ?)`,
    )
    .run(tenant, bindingId, occurrencesKept);
}

export function readOccurrences(database: Database, tenant: string, bindingId: string): readonly Occurrence[] {
  return database
    .prepare('SELECT document FROM occurrences WHERE tenant = ? AND binding_id = ? ORDER BY position DESC')
    .all(tenant, bindingId)
    .map((row) => JSON.parse(String(row.document)) as Occurrence);
}
