import { toolPermissions } from '../auth/tool-permissions.ts';
import { compiledVerifier } from '../cards/compiled-verifiers.ts';
import type { Driven } from '../drive/drive.ts';
import type { DriveInput } from '../drive/performing.ts';
import type { Ids } from '../ports.ts';
import { runInputOf } from '../verify/accept-request.ts';
import {
  type Ended,
  type EndPorts,
  failAttempt,
  giveBack,
  type HeldAttempt,
  postponeBusy,
  settleOutcome,
  settleTimedOut,
} from './end-attempt.ts';
import { notLanded, toExecutionError } from './execution-error.ts';
import { deadlineOf, leaseMs, maxAttempts } from './rules.ts';

export interface AttemptPorts extends EndPorts {
  readonly ids: Ids;
  /** Performs a run to its end (src/service/drive). */
  readonly drive: (input: DriveInput) => Promise<Driven>;
}

/** How often a running attempt asks whether it was cancelled. */
const watchMs = 1_000;

/**
 * One attempt in this process: claim, run, settle (docs/spec/background.md §10). Does nothing when the execution is not
 * claimable. Null: not claimed. Throws only when the store fails, and then the lease brings the execution back.
 */
export async function runAttempt(
  ports: AttemptPorts,
  place: { readonly tenant: string; readonly execution_id: string },
  stopping: AbortSignal,
): Promise<Ended | null> {
  const { tenant, execution_id } = place;
  const lease = ports.ids.next();
  const now = ports.clock.now();
  const claimed = await ports.attempts.claim(tenant, execution_id, { lease, now, lease_until: now + leaseMs });
  if (claimed === null) return null;
  const { execution, attempt, lease_until } = claimed;
  const held: HeldAttempt = { tenant, execution, attempt, lease, deadline: deadlineOf(lease_until) };
  try {
    return await endAs(ports, held, await driveHeld(ports, held, stopping), stopping);
  } catch (error) {
    const failure = toExecutionError(error);
    ports.log.error('attempt failed', { execution_id, attempt, code: failure.code, error: describe(error) });
    return failAttempt(ports, held, failure);
  }
}

/** For the host's own log, which holds no evidence: the message of a foreign error may. */
function describe(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}

async function driveHeld(ports: AttemptPorts, held: HeldAttempt, stopping: AbortSignal): Promise<Driven> {
  const { tenant, execution, attempt, deadline } = held;
  const { verifier } = await compiledVerifier(ports, tenant, {
    verifier_uid: execution.verifier.uid ?? '',
    subject_uid: execution.subject.uid ?? '',
  });
  const done = new AbortController();
  const stopped = new AbortController();
  const watching = watch(ports, held, done.signal, () => stopped.abort(new Error('the attempt is no longer held')));
  try {
    return await ports.drive({
      tenant,
      permissions: toolPermissions(execution.request),
      verifier,
      run: runInputOf(verifier, execution),
      deadline,
      wait_for_traces: attempt < maxAttempts,
      pinned_traces: execution.request.pinned_traces ?? {},
      subject_uid: execution.subject.uid ?? '',
      verifier_uid: execution.verifier.uid ?? '',
      signal: AbortSignal.any([stopping, stopped.signal]),
    });
  } finally {
    done.abort();
    await watching;
  }
}

/** Looks until `done`; a store that does not answer is asked again. */
async function watch(ports: AttemptPorts, held: HeldAttempt, done: AbortSignal, stop: () => void): Promise<void> {
  const { tenant, execution, lease } = held;
  while (!done.aborted) {
    try {
      await ports.clock.sleep(watchMs, done);
      if (!(await ports.attempts.isStopped(tenant, execution.execution_id, lease))) continue;
    } catch {
      continue;
    }
    stop();
    return;
  }
}

async function endAs(ports: AttemptPorts, held: HeldAttempt, driven: Driven, stopping: AbortSignal): Promise<Ended> {
  switch (driven.kind) {
    case 'finished':
      return settleOutcome(ports, held, driven);
    case 'busy':
      return postponeBusy(ports, held, driven.retry_after_ms);
    case 'not_landed':
      return failAttempt(ports, held, notLanded);
    case 'timed_out':
      return settleTimedOut(ports, held);
    case 'cancelled':
      return stopping.aborted ? giveBack(ports, held) : { kind: 'lost' };
  }
}
