import type { Attempts, Overdue, Workflow, WorkResults } from '../ports/attempts.ts';
import type { Clock, Log } from '../ports.ts';
import { toRfc3339 } from '../time.ts';
import { lostWorker } from './execution-error.ts';
import { lostStartMs, maxAttempts } from './rules.ts';

export interface SweepPorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly attempts: Attempts;
  readonly workResults: WorkResults;
  readonly workflow: Workflow;
}

/** Executions looked at in one sweep; the rest are the next one's. */
const limit = 1_000;

/**
 * Starts what nobody works on: lost starts, attempts that are due again, and executions whose worker is gone
 * (docs/spec/background.md §10, §11 rows 3, 4, 10, 16). Two sweeps at once do no harm: every write is conditional and a
 * second start is a no-op. Answers how many it touched. `pendingBefore` replaces the usual age of a lost start.
 */
export async function sweepOverdue(ports: SweepPorts, pendingBefore?: number): Promise<number> {
  const now = ports.clock.now();
  const overdue = await ports.attempts.overdue({ now, pendingBefore: pendingBefore ?? now - lostStartMs, limit });
  for (const row of overdue) {
    try {
      if (row.status === 'running') await bringBack(ports, row, now);
      else await ports.workflow.start(row.tenant, row.execution_id, row.attempts + 1, now);
    } catch (error) {
      // One row that cannot be moved must not keep the others waiting.
      const name = error instanceof Error ? error.name : 'unknown';
      ports.log.error('sweep failed for an execution', { execution_id: row.execution_id, error: name });
    }
  }
  return overdue.length;
}

/** The lease lapsed, so the worker is gone: the attempt counts, and the next one starts at once. */
async function bringBack(ports: SweepPorts, row: Overdue, now: number): Promise<void> {
  const { tenant, execution_id, attempts } = row;
  if (attempts < maxAttempts) {
    const released = await ports.attempts.release(tenant, execution_id, { now, to: 'retrying', not_before: now });
    if (released) await ports.workflow.start(tenant, execution_id, attempts + 1, now);
    return;
  }
  const ended = { now, to: 'errored', error: lostWorker, ended_at: toRfc3339(now) } as const;
  if (await ports.attempts.release(tenant, execution_id, ended)) await ports.workResults.clear(tenant, execution_id);
}
