import type { StoredWorkResult, WorkResults } from '#service/ports/attempts.ts';
import type { Database } from './database.ts';

/** Answers to work in SQLite. */
export function sqliteWorkResults(database: Database): WorkResults {
  return {
    async put(tenant, { execution_id, attempt, work_id }, settlement) {
      await database.write(() =>
        database
          .prepare(
            `INSERT OR IGNORE INTO work_results (tenant, execution_id, attempt, work_id, try, settlement)
             VALUES (?, ?, ?, ?, ?, ?)`,
          )
          .run(tenant, execution_id, attempt, work_id, settlement.attempt, JSON.stringify(settlement)),
      );
    },
    async all(tenant, executionId, attempt) {
      const rows = database
        .prepare(
          `SELECT work_id, settlement FROM work_results
           WHERE tenant = ? AND execution_id = ? AND attempt = ? ORDER BY position`,
        )
        .all(tenant, executionId, attempt);
      return rows.map(({ work_id, settlement }) => ({
        work_id: String(work_id),
        settlement: JSON.parse(String(settlement)) as StoredWorkResult['settlement'],
      }));
    },
    async clear(tenant, executionId) {
      await database.write(() =>
        database.prepare('DELETE FROM work_results WHERE tenant = ? AND execution_id = ?').run(tenant, executionId),
      );
    },
  };
}
