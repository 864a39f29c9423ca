import type { Records } from '#service/ports/records.ts';
import type { Database } from './database.ts';
import { readRecord, toRecord } from './record-rows.ts';

/** Records in SQLite. Their rows are written by the adapters whose executions they are of. */
export function sqliteRecords(database: Database): Records {
  return {
    async find(tenant, executionId) {
      return readRecord(database, tenant, executionId);
    },
    async pending(limit) {
      const rows = database
        .prepare(
          `SELECT tenant, execution_id, ended_at, state, sha256, text FROM records
           WHERE state = 'pending' ORDER BY position LIMIT ?`,
        )
        .all(limit);
      return rows.map((row) => ({
        tenant: String(row.tenant),
        execution_id: String(row.execution_id),
        ended_at: String(row.ended_at),
        record: toRecord(row),
      }));
    },
    sign(tenant, executionId, { sha256, text }) {
      return database.write(() => {
        const { changes } = database
          .prepare(
            `UPDATE records SET state = 'signed', text = ?
             WHERE tenant = ? AND execution_id = ? AND sha256 = ? AND state = 'pending'`,
          )
          .run(text, tenant, executionId, sha256);
        return changes === 1;
      });
    },
  };
}
