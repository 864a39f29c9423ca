import type { VerdictWord } from '#contract/result.ts';
import type { Execution } from '#service/ports/executions.ts';
import type { GroupMember, GroupPlace, GroupTouch } from '#service/ports/group-touch.ts';
import type { Group, Groups, HeadMove } from '#service/ports/groups.ts';
import { insertAttempt } from './attempt-rows.ts';
import type { Database } from './database.ts';
import { insertExecution } from './execution-rows.ts';
import { insertOccurrence } from './occurrence-rows.ts';

const place = 'tenant = ? AND binding_id = ? AND group_id = ?';

/** Groups in SQLite: the row of a group says when it is due, and what its newest judgment was. */
export function sqliteGroups(database: Database): Groups {
  return {
    async find(tenant, { binding_id, group_id }) {
      return findGroup(database, tenant, { binding_id, group_id });
    },
    async members(tenant, { binding_id, group_id }, limit) {
      const rows = database
        .prepare(`SELECT execution_id, verifier_uid FROM group_members WHERE ${place} ORDER BY execution_id LIMIT ?`)
        .all(tenant, binding_id, group_id, limit);
      return rows.map(toMember);
    },
    judge(tenant, { binding_id, group_id }, dueAt, execution) {
      return database.write(() => {
        const cleared = database
          .prepare(`UPDATE groups SET due_at = NULL WHERE ${place} AND due_at = ?`)
          .run(tenant, binding_id, group_id, dueAt);
        if (cleared.changes === 0) return false;
        admitExecution(database, tenant, execution);
        insertOccurrence(database, tenant, binding_id, {
          at: new Date(dueAt).toISOString(),
          status: execution.status === 'errored' ? 'errored' : 'admitted',
          execution_id: execution.execution_id,
          group_id,
        });
        return true;
      });
    },
  };
}

function findGroup(database: Database, tenant: string, { binding_id, group_id }: GroupPlace): Group | null {
  const row = database
    .prepare(`SELECT due_at, head_execution, head_verdict FROM groups WHERE ${place}`)
    .get(tenant, binding_id, group_id);
  if (!row) return null;
  const head =
    row.head_execution === null
      ? null
      : { execution_id: String(row.head_execution), verdict: String(row.head_verdict) as VerdictWord };
  return { binding_id, group_id, due_at: row.due_at === null ? null : Number(row.due_at), head };
}

function toMember(row: Record<string, unknown>): GroupMember {
  return { execution_id: String(row.execution_id), verifier_uid: String(row.verifier_uid) };
}

/** Inside a transaction of the caller. An execution that is settled at birth is stored, any other one starts. */
export function admitExecution(database: Database, tenant: string, execution: Execution): void {
  insertExecution(database, tenant, { ...execution, attempts: 0 });
  if (execution.status === 'pending') {
    insertAttempt(database, tenant, execution.execution_id, Date.parse(execution.created_at));
  }
}

/** Inside a transaction of the caller. */
export function touchGroups(database: Database, tenant: string, touches: readonly GroupTouch[]): void {
  for (const { binding_id, group_id, member, due_at } of touches) {
    database
      .prepare(
        `INSERT OR IGNORE INTO group_members (tenant, binding_id, group_id, execution_id, verifier_uid) VALUES (?, ?, ?, ?, ?)`,
      )
      .run(tenant, binding_id, group_id, member.execution_id, member.verifier_uid);
    if (due_at === null) continue;
    database
      .prepare(
        `INSERT INTO groups (tenant, binding_id, group_id, due_at) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET due_at = max(coalesce(due_at, 0), excluded.due_at)`,
      )
      .run(tenant, binding_id, group_id, due_at);
  }
}

/** Inside a transaction of the caller. False: another judgment is the head by now. */
export function moveHead(database: Database, tenant: string, executionId: string, move: HeadMove): boolean {
  const moved = database
    .prepare(`UPDATE groups SET head_execution = ?, head_verdict = ? WHERE ${place} AND head_execution IS ?`)
    .run(executionId, move.verdict, tenant, move.binding_id, move.group_id, move.before);
  return moved.changes > 0;
}
