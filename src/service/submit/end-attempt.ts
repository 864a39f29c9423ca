import { setAlarms } from '../alarms/set-alarms.ts';
import { type CompilePorts, compiledVerifier } from '../cards/compiled-verifiers.ts';
import type { Finished } from '../drive/drive.ts';
import type { Attempts, Settled } from '../ports/attempts.ts';
import type { Alarms } from '../ports/due.ts';
import type { Execution } from '../ports/executions.ts';
import { isStoreFailure } from '../ports/store-failure.ts';
import type { Clock } from '../ports.ts';
import { makeRecord, type RecordPorts } from '../records/make-record.ts';
import { toRfc3339 } from '../time.ts';
import { type ResultPorts, resultOf } from '../verify/result-of.ts';
import { type ConsequencePorts, consequencesOf } from './consequences.ts';
import { type ExecutionError, executionError, isRetryable, noCapacity, timedOut } from './execution-error.ts';
import { maxAttempts, pauseAfter, publicationMs } from './rules.ts';

export interface EndPorts extends ResultPorts, RecordPorts, CompilePorts, ConsequencePorts {
  readonly clock: Clock;
  readonly attempts: Attempts;
  readonly alarms: Alarms;
}

/** An attempt that this worker claimed. */
export interface HeldAttempt {
  readonly tenant: string;
  readonly execution: Execution;
  readonly attempt: number;
  readonly lease: string;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

/** What became of an attempt. `lost`: it was no longer held, so nothing was written. */
export type Ended =
  | { readonly kind: 'settled'; readonly status: Settled['status'] }
  | { readonly kind: 'postponed'; readonly not_before: number }
  | { readonly kind: 'lost' };

const lost: Ended = { kind: 'lost' };

export async function settleOutcome(ports: EndPorts, held: HeldAttempt, { outcome, work }: Finished): Promise<Ended> {
  const { tenant, execution } = held;
  const target = await compiledVerifier(ports, tenant, {
    verifier_uid: execution.verifier.uid ?? '',
    subject_uid: execution.subject.uid ?? '',
  });
  const result = resultOf(ports, execution, outcome);
  const ended_at = toRfc3339(ports.clock.now());
  const record = await makeRecord(ports, { tenant, execution, target, result, work, ended_at });
  const { verdict } = outcome;
  const settled = {
    status: 'completed',
    verdict,
    result: JSON.stringify(result),
    record,
    error: null,
    ended_at,
  } as const;
  for (let tries = 1; ; tries += 1) {
    const consequences = await consequencesOf(ports, tenant, execution, { outcome, ended_at });
    const ended = await settleAs(ports, held, { ...settled, consequences });
    if (ended.kind === 'settled') await setAlarms(ports, tenant, consequences.touches);
    // Another judgment of the group may have become its head meanwhile: then what follows is another thing.
    const isHeadLost = ended.kind === 'lost' && consequences.head !== null && tries < maxHeadTries;
    if (!isHeadLost || (await ports.attempts.isStopped(tenant, execution.execution_id, held.lease))) return ended;
  }
}

const maxHeadTries = 10;

/** The deadline ends the execution, whatever attempts are left (docs/spec/background.md §1.1). */
export function settleTimedOut(ports: EndPorts, held: HeldAttempt): Promise<Ended> {
  return settleWithout(ports, held, 'timed_out', timedOut);
}

/** Another attempt after a pause; `errored` with this error when none is left or none would help. */
export async function failAttempt(ports: EndPorts, held: HeldAttempt, error: ExecutionError): Promise<Ended> {
  if (held.attempt < maxAttempts && isRetryable(error)) {
    return postpone(ports, held, { error, pause: pauseAfter(held.attempt), counts: true });
  }
  return settleWithout(ports, held, 'errored', error);
}

/** Shortest and longest pause before capacity is asked for again. */
const busyPauseMs = { min: 1_000, max: 60_000 };
/** From this age on a refusal of capacity counts as an attempt, so that every execution ends. */
const patienceMs = 3_600_000;

/** Capacity was refused: the attempt is given back (docs/spec/verification.md §10.9). */
export async function postponeBusy(ports: EndPorts, held: HeldAttempt, retryAfterMs: number): Promise<Ended> {
  const age = ports.clock.now() - Date.parse(held.execution.created_at);
  if (age > patienceMs) return failAttempt(ports, held, noCapacity);
  const pause = Math.min(Math.max(retryAfterMs, busyPauseMs.min), busyPauseMs.max);
  return postpone(ports, held, { error: noCapacity, pause, counts: false });
}

/** The host stops: the work is given back, not counted, for whoever runs next. */
export function giveBack(ports: EndPorts, held: HeldAttempt): Promise<Ended> {
  const error = executionError('WYRD_SPEC_500_INTERNAL', 'the host stopped before it was done');
  return postpone(ports, held, { error, pause: 0, counts: false });
}

interface Postponement {
  readonly error: ExecutionError;
  readonly pause: number;
  readonly counts: boolean;
}

async function postpone(ports: EndPorts, held: HeldAttempt, { error, pause, counts }: Postponement): Promise<Ended> {
  const { tenant, execution, lease } = held;
  const not_before = ports.clock.now() + pause;
  const written = await ports.attempts.postpone(tenant, execution.execution_id, lease, { not_before, error, counts });
  return written ? { kind: 'postponed', not_before } : lost;
}

/** Ends without a verdict, and so without a record. */
function settleWithout(
  ports: EndPorts,
  held: HeldAttempt,
  status: 'timed_out' | 'errored',
  error: ExecutionError,
): Promise<Ended> {
  const ended_at = toRfc3339(ports.clock.now());
  return settleAs(ports, held, { status, verdict: null, result: null, record: null, error, ended_at });
}

/** One conditional write, made again while the store refuses it and the time of publication lasts. */
async function settleAs(ports: EndPorts, held: HeldAttempt, settled: Settled): Promise<Ended> {
  const { tenant, execution, lease } = held;
  const until = ports.clock.now() + publicationMs;
  for (let pause = 250; ; pause *= 2) {
    try {
      const written = await ports.attempts.settle(tenant, execution.execution_id, lease, settled);
      return written ? { kind: 'settled', status: settled.status } : lost;
    } catch (error) {
      if (!isStoreFailure(error) || ports.clock.now() + pause > until) throw error;
      await ports.clock.sleep(pause);
    }
  }
}
