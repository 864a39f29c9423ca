import type { Execution, ExecutionRequest, ExecutionSummary } from '#service/ports/executions.ts';
import type { Database } from './database.ts';
import { insertRecord, readRecord } from './record-rows.ts';

/** Rows of `executions`. The writing functions run inside a transaction of the caller. */

export function readExecution(database: Database, tenant: string, executionId: string): Execution | null {
  const row = database
    .prepare('SELECT summary, request, result FROM executions WHERE tenant = ? AND execution_id = ?')
    .get(tenant, executionId);
  if (!row) return null;
  return {
    ...(JSON.parse(String(row.summary)) as ExecutionSummary),
    request: JSON.parse(String(row.request)) as ExecutionRequest,
    result: row.result === null ? null : String(row.result),
    record: readRecord(database, tenant, executionId),
  };
}

/** False, and nothing happens, when it is there already. */
export function insertExecution(database: Database, tenant: string, execution: Execution): boolean {
  const { request, result, record, ...summary } = execution;
  insertRecord(database, tenant, summary.execution_id, summary.ended_at, record);
  const inserted = database
    .prepare(
      `INSERT OR IGNORE INTO executions (tenant, execution_id, status, verdict, origin, verifier_uid, verifier_name,
         verifier_version, subject_uid, subject_name, subject_version, binding_id, owner_uid, group_id, run_id, created_at,
         summary, request, result) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      tenant,
      summary.execution_id,
      summary.status,
      summary.verdict,
      summary.origin,
      summary.verifier.uid ?? '',
      summary.verifier.name,
      summary.verifier.version ?? '',
      summary.subject.uid ?? '',
      summary.subject.name,
      summary.subject.version ?? '',
      summary.binding_id,
      summary.owner_card_uid,
      summary.group_id,
      summary.run_id,
      summary.created_at,
      JSON.stringify(summary),
      JSON.stringify(request),
      result,
    );
  return inserted.changes > 0;
}

type Change = Partial<Pick<Execution, 'status' | 'verdict' | 'error' | 'attempts' | 'ended_at' | 'result' | 'record'>>;

/** Writes what changed; everything else of an execution is fixed at its birth. */
export function changeExecution(database: Database, tenant: string, executionId: string, change: Change): Execution {
  const before = readExecution(database, tenant, executionId);
  if (before === null) throw new Error('an execution that has an attempt is gone');
  const after = { ...before, ...change };
  const { request: _request, result, record, ...summary } = after;
  insertRecord(database, tenant, executionId, summary.ended_at, record);
  database
    .prepare(
      'UPDATE executions SET status = ?, verdict = ?, summary = ?, result = ? WHERE tenant = ? AND execution_id = ?',
    )
    .run(summary.status, summary.verdict, JSON.stringify(summary), result, tenant, executionId);
  return after;
}
