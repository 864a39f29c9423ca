import type { Schedule, Schedules } from '#service/ports/schedules.ts';
import type { Database } from './database.ts';
import { admitExecution } from './groups.ts';
import { insertOccurrence, readOccurrences } from './occurrence-rows.ts';

/** Schedules in SQLite: the row of a binding holds the occurrence that is waited for. */
export function sqliteSchedules(database: Database): Schedules {
  return {
    async find(tenant, bindingId) {
      const row = database
        .prepare('SELECT next_at FROM schedules WHERE tenant = ? AND binding_id = ? AND next_at IS NOT NULL')
        .get(tenant, bindingId);
      return row ? { binding_id: bindingId, next_at: Number(row.next_at) } : null;
    },
    advance(tenant, bindingId, { from, to, occurrences, execution }) {
      return database.write(() => {
        const moved = database
          .prepare('UPDATE schedules SET next_at = ? WHERE tenant = ? AND binding_id = ? AND next_at = ?')
          .run(to, tenant, bindingId, from);
        if (moved.changes === 0) return false;
        for (const occurrence of occurrences) insertOccurrence(database, tenant, bindingId, occurrence);
        if (execution !== null) admitExecution(database, tenant, execution);
        return true;
      });
    },
    async occurrences(tenant, bindingId) {
      return readOccurrences(database, tenant, bindingId);
    },
  };
}

/** Inside a transaction of the caller: with the declaration of its binding. */
export function insertSchedule(database: Database, tenant: string, { binding_id, next_at }: Schedule): void {
  database
    .prepare('INSERT OR IGNORE INTO schedules (tenant, binding_id, next_at) VALUES (?, ?, ?)')
    .run(tenant, binding_id, next_at);
}
