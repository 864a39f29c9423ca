import type {
  Dispatch,
  DispatchEnd,
  DispatchErrorCode,
  Dispatches,
  DispatchStatus,
  NewDispatch,
} from '#service/ports/dispatches.ts';
import type { Database } from './database.ts';

/** Dispatches in SQLite; a row is due while it has not ended. */
export function sqliteDispatches(database: Database): Dispatches {
  return {
    async ofExecution(tenant, executionId) {
      return database
        .prepare('SELECT * FROM dispatches WHERE tenant = ? AND execution_id = ? ORDER BY dispatch_id')
        .all(tenant, executionId)
        .map(toDispatch);
    },
    claim(tenant, { dispatch_id }, { lease, now, lease_until }) {
      return database.write(() => {
        const claimed = database
          .prepare(
            `UPDATE dispatches SET status = 'running', lease = ?, attempts = attempts + 1, due_at = ?
             WHERE tenant = ? AND dispatch_id = ? AND due_at <= ?`,
          )
          .run(lease, lease_until, tenant, dispatch_id, now);
        return claimed.changes === 0 ? null : find(database, tenant, dispatch_id);
      });
    },
    end(tenant, { dispatch_id }, lease, end) {
      return database.write(() => endDispatch(database, tenant, dispatch_id, lease, end));
    },
  };
}

function endDispatch(database: Database, tenant: string, dispatchId: string, lease: string, end: DispatchEnd): boolean {
  const ended = database
    .prepare(
      `UPDATE dispatches SET status = ?, lease = NULL, due_at = ?, error = ?
       WHERE tenant = ? AND dispatch_id = ? AND status = 'running' AND lease = ?`,
    )
    .run(
      end.status,
      end.status === 'retrying' ? end.due_at : null,
      end.status === 'delivered' ? null : end.error,
      tenant,
      dispatchId,
      lease,
    );
  return ended.changes > 0;
}

/** Inside a transaction of the caller. One that is there already stays as it is. */
export function insertDispatch(database: Database, tenant: string, dispatch: NewDispatch): void {
  database
    .prepare(
      `INSERT OR IGNORE INTO dispatches (tenant, dispatch_id, execution_id, status, attempts, due_at, document)
       VALUES (?, ?, ?, 'pending', 0, ?, ?)`,
    )
    .run(tenant, dispatch.dispatch_id, dispatch.execution_id, dispatch.created_at, JSON.stringify(dispatch));
}

function find(database: Database, tenant: string, dispatchId: string): Dispatch | null {
  const row = database.prepare('SELECT * FROM dispatches WHERE tenant = ? AND dispatch_id = ?').get(tenant, dispatchId);
  return row ? toDispatch(row) : null;
}

function toDispatch(row: Record<string, unknown>): Dispatch {
  const made = JSON.parse(String(row.document)) as NewDispatch;
  return {
    ...made,
    status: row.status as DispatchStatus,
    attempts: Number(row.attempts),
    due_at: row.due_at === null ? made.created_at : Number(row.due_at),
    error: row.error as DispatchErrorCode | null,
  };
}
