import { Problem } from '#contract/errors.ts';
import type { Principal } from '../auth/principal.ts';
import type { Attempts, WorkResults } from '../ports/attempts.ts';
import type { Dispatches } from '../ports/dispatches.ts';
import type { Executions } from '../ports/executions.ts';
import type { Clock } from '../ports.ts';
import { toRfc3339 } from '../time.ts';
import { readExecution, requireExecution } from '../verify/read-executions.ts';

export interface CancelPorts {
  readonly clock: Clock;
  readonly attempts: Attempts;
  readonly executions: Executions;
  readonly workResults: WorkResults;
  readonly dispatches: Dispatches;
}

/** Cancels what is not settled and answers its state as JSON text (docs/spec/wire.md §10, background.md §1.7). */
export async function cancelExecution(ports: CancelPorts, principal: Principal, executionId: string): Promise<string> {
  // Refuses unknown and hidden ids with the same answer as a read.
  await requireExecution(ports, principal, executionId);
  const { tenant } = principal;
  const outcome = await ports.attempts.cancel(tenant, executionId, toRfc3339(ports.clock.now()));
  if (outcome === 'settled' || outcome === 'unknown') {
    throw new Problem('TOUCHSTONE_409_NOT_CANCELLABLE', 'the execution is settled');
  }
  // What earlier attempts left; a worker that still runs clears after itself.
  await ports.workResults.clear(tenant, executionId);
  return readExecution(ports, principal, executionId);
}
