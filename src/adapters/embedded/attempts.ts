import type { Attempts, Claimed, Overdue, Settled } from '#service/ports/attempts.ts';
import { type Consequences, noConsequences } from '#service/ports/consequences.ts';
import type { Database } from './database.ts';
import { insertDispatch } from './dispatches.ts';
import { changeExecution, readExecution } from './execution-rows.ts';
import { admitExecution, moveHead, touchGroups } from './groups.ts';
import { isKeyTaken, saveIdempotency } from './idempotency.ts';

/** Attempts in SQLite: the row of an execution is the outbox entry, and goes when the execution settles. */
export function sqliteAttempts(database: Database): Attempts {
  const rows = attemptRows(database);
  const settle = (tenant: string, executionId: string, settled: Settled | Cancelled) => {
    rows.remove(tenant, executionId);
    changeExecution(database, tenant, executionId, settled);
    return true;
  };
  return {
    admit(tenant, execution, idempotency, touches = []) {
      return database.write(() => {
        if (isKeyTaken(database, tenant, idempotency)) return 'key_taken';
        admitExecution(database, tenant, execution);
        saveIdempotency(database, tenant, idempotency);
        touchGroups(database, tenant, touches);
        return 'admitted';
      });
    },
    async unsettled(tenant) {
      return Number(database.prepare('SELECT count(*) AS n FROM attempts WHERE tenant = ?').get(tenant)?.n);
    },
    claim(tenant, executionId, claim) {
      return database.write((): Claimed | null => {
        const row = rows.find(tenant, executionId);
        if (row?.status === 'running' && row.lease === claim.lease) return claimed(database, tenant, executionId, row);
        if (row === null || row.status === 'running') return null;
        if (row.status === 'retrying' && row.due_at > claim.now) return null;
        const next = { status: 'running', attempts: row.attempts + 1, lease: claim.lease, due_at: claim.lease_until };
        rows.update(tenant, executionId, next);
        changeExecution(database, tenant, executionId, { status: 'running', attempts: next.attempts });
        return claimed(database, tenant, executionId, next);
      });
    },
    settle(tenant, executionId, lease, settled) {
      const { consequences = noConsequences, ...state } = settled;
      return database.write(
        () =>
          rows.isHeld(tenant, executionId, lease) &&
          bringAbout(database, tenant, executionId, consequences) &&
          settle(tenant, executionId, state),
      );
    },
    postpone(tenant, executionId, lease, retry) {
      return database.write(() => {
        const row = rows.find(tenant, executionId);
        if (row === null || !rows.isHeld(tenant, executionId, lease)) return false;
        const attempts = retry.counts ? row.attempts : row.attempts - 1;
        rows.update(tenant, executionId, { status: 'retrying', attempts, lease: null, due_at: retry.not_before });
        changeExecution(database, tenant, executionId, { status: 'retrying', attempts, error: retry.error });
        return true;
      });
    },
    cancel(tenant, executionId, at) {
      return database.write(() => {
        const row = rows.find(tenant, executionId);
        if (row === null) return readExecution(database, tenant, executionId) === null ? 'unknown' : 'settled';
        settle(tenant, executionId, cancelled(at));
        return row.status === 'running' ? 'flagged' : 'cancelled';
      });
    },
    isStopped: async (tenant, executionId, lease) => !rows.isHeld(tenant, executionId, lease),
    overdue: async ({ now, pendingBefore, limit }) => rows.overdue(now, pendingBefore, limit),
    release(tenant, executionId, release) {
      return database.write(() => {
        const row = rows.find(tenant, executionId);
        if (row?.status !== 'running' || row.due_at >= release.now) return false;
        if (release.to === 'errored') {
          const { error, ended_at } = release;
          return settle(tenant, executionId, { ...withoutVerdict, status: 'errored', error, ended_at });
        }
        const { attempts } = row;
        rows.update(tenant, executionId, { status: 'retrying', attempts, lease: null, due_at: release.not_before });
        changeExecution(database, tenant, executionId, { status: 'retrying' });
        return true;
      });
    },
  };
}

/** False, with nothing written: another judgment is the head of the group by now. */
function bringAbout(
  database: Database,
  tenant: string,
  executionId: string,
  { head, touches, dispatches }: Consequences,
): boolean {
  if (head !== null && !moveHead(database, tenant, executionId, head)) return false;
  touchGroups(database, tenant, touches);
  for (const dispatch of dispatches) insertDispatch(database, tenant, dispatch);
  return true;
}

const withoutVerdict = { verdict: null, result: null, record: null } as const;

interface Cancelled extends Omit<Settled, 'status'> {
  readonly status: 'cancelled';
}

/** docs/spec/background.md §1.2. */
function cancelled(at: string): Cancelled {
  const error = { code: 'WYRD_SPEC_409_CONFLICT', message: 'the execution was cancelled' };
  return { ...withoutVerdict, status: 'cancelled', error, ended_at: at };
}

function claimed(database: Database, tenant: string, executionId: string, row: Row): Claimed | null {
  const execution = readExecution(database, tenant, executionId);
  return execution && { execution, attempt: row.attempts, lease_until: row.due_at };
}

interface Row {
  readonly status: string;
  readonly attempts: number;
  readonly lease: string | null;
  readonly due_at: number;
}

function attemptRows(database: Database) {
  const place = 'WHERE tenant = ? AND execution_id = ?';
  return {
    find(tenant: string, executionId: string): Row | null {
      const row = database
        .prepare(`SELECT status, attempts, lease, due_at FROM attempts ${place}`)
        .get(tenant, executionId);
      if (!row) return null;
      const lease = row.lease === null ? null : String(row.lease);
      return { status: String(row.status), attempts: Number(row.attempts), lease, due_at: Number(row.due_at) };
    },
    isHeld(tenant: string, executionId: string, lease: string): boolean {
      const row = database
        .prepare(`SELECT 1 FROM attempts ${place} AND status = 'running' AND lease = ?`)
        .get(tenant, executionId, lease);
      return row !== undefined;
    },
    update(tenant: string, executionId: string, row: Row) {
      database
        .prepare(`UPDATE attempts SET status = ?, attempts = ?, lease = ?, due_at = ? ${place}`)
        .run(row.status, row.attempts, row.lease, row.due_at, tenant, executionId);
    },
    remove(tenant: string, executionId: string) {
      database.prepare(`DELETE FROM attempts ${place}`).run(tenant, executionId);
    },
    overdue(now: number, pendingBefore: number, limit: number): readonly Overdue[] {
      const found = database
        .prepare(
          `SELECT tenant, execution_id, status, attempts FROM attempts
           WHERE (status = 'pending' AND due_at < ?) OR (status = 'retrying' AND due_at <= ?)
              OR (status = 'running' AND due_at < ?)
           ORDER BY due_at, execution_id LIMIT ?`,
        )
        .all(pendingBefore, now, now, limit);
      return found.map((row) => ({
        tenant: String(row.tenant),
        execution_id: String(row.execution_id),
        status: row.status as Overdue['status'],
        attempts: Number(row.attempts),
      }));
    },
  };
}
