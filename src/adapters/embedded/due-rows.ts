import type { Due, DueKind, DueRows } from '#service/ports/due.ts';
import { settlingMs } from '#service/ports/schedules.ts';
import type { Database } from './database.ts';

/** What is due, in the tables of each kind. */
export function sqliteDueRows(database: Database): DueRows {
  return {
    async due({ now, limit }) {
      return database
        .prepare(
          `SELECT * FROM (SELECT tenant, 'group' AS kind, binding_id || '#' || group_id AS id, due_at FROM groups
             WHERE due_at <= :now ORDER BY due_at LIMIT :limit)
           UNION ALL
           SELECT * FROM (SELECT tenant, 'occurrence', binding_id, next_at + :settling FROM schedules
             WHERE next_at <= :now - :settling ORDER BY next_at LIMIT :limit)
           UNION ALL
           SELECT * FROM (SELECT tenant, 'dispatch', execution_id || '#' || dispatch_id, due_at FROM dispatches
             WHERE due_at <= :now ORDER BY due_at LIMIT :limit)
           UNION ALL
           SELECT * FROM (SELECT tenant, 'baseline', verifier_uid || '#' || requirement, due_at FROM baselines
             WHERE due_at <= :now ORDER BY due_at LIMIT :limit)
           ORDER BY due_at, id`,
        )
        .all({ now, limit, settling: settlingMs })
        .map(toDue);
    },
  };
}

function toDue(row: Record<string, unknown>): Due {
  return { tenant: String(row.tenant), kind: row.kind as DueKind, id: String(row.id), due_at: Number(row.due_at) };
}
