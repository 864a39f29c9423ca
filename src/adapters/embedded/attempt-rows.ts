import type { Database } from './database.ts';

/** Inside a transaction of the caller: the outbox row of a new execution. */
export function insertAttempt(database: Database, tenant: string, executionId: string, dueAt: number): void {
  database
    .prepare(`INSERT INTO attempts (tenant, execution_id, status, attempts, due_at) VALUES (?, ?, 'pending', 0, ?)`)
    .run(tenant, executionId, dueAt);
}
