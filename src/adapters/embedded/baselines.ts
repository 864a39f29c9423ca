import {
  type BaselinePlace,
  type BaselineState,
  type Baselines,
  baselineFormat,
  type FitEnd,
} from '#service/ports/baselines.ts';
import type { Database } from './database.ts';

const place = 'tenant = ? AND verifier_uid = ? AND requirement = ?';

/** Baselines in SQLite: a fit is written whole, with the state that says that it is ready. */
export function sqliteBaselines(database: Database): Baselines {
  return {
    async find(tenant, { verifier_uid, requirement }) {
      const row = database
        .prepare(`SELECT status, document FROM baselines WHERE ${place}`)
        .get(tenant, verifier_uid, requirement);
      return row ? toState(row) : null;
    },
    begin(tenant, { verifier_uid, requirement }, { lease, now, until }) {
      return database.write(() => {
        const begun = database
          .prepare(`UPDATE baselines SET status = 'building', lease = ?, due_at = ? WHERE ${place} AND due_at <= ?`)
          .run(lease, until, tenant, verifier_uid, requirement, now);
        return begun.changes > 0;
      });
    },
    end(tenant, { verifier_uid, requirement }, lease, ended) {
      return database.write(() => {
        const { changes } = database
          .prepare(
            `UPDATE baselines SET status = ?, lease = NULL, due_at = NULL, document = ?
             WHERE ${place} AND status = 'building' AND lease = ?`,
          )
          .run(ended.status, toDocument(ended), tenant, verifier_uid, requirement, lease);
        return changes > 0;
      });
    },
    retry(tenant, { verifier_uid, requirement }, at) {
      return database.write(() => {
        const { changes } = database
          .prepare(
            `UPDATE baselines SET status = 'pending', document = NULL, due_at = ? WHERE ${place} AND status = 'failed'`,
          )
          .run(at, tenant, verifier_uid, requirement);
        return changes > 0;
      });
    },
  };
}

/** Inside a transaction of the caller: with the declaration that needs it. One that is there stays as it is. */
export function insertBaseline(database: Database, tenant: string, of: BaselinePlace, dueAt: number): void {
  database
    .prepare(
      `INSERT OR IGNORE INTO baselines (tenant, verifier_uid, requirement, status, due_at) VALUES (?, ?, ?, 'pending', ?)`,
    )
    .run(tenant, of.verifier_uid, of.requirement, dueAt);
}

function toDocument(ended: FitEnd): string {
  return JSON.stringify(
    ended.status === 'ready' ? { fit: ended.fit, format: baselineFormat } : { reason: ended.reason },
  );
}

function toState(row: Record<string, unknown>): BaselineState {
  const status = row.status as BaselineState['status'];
  return { status, ...(row.document === null ? {} : JSON.parse(String(row.document))) } as BaselineState;
}
