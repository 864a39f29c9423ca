import type { Settlement, SettlementResult, Work } from '#engine/index.ts';
import type { DriveInput, DrivePorts, Perform, Performed } from './performing.ts';

export interface Attempting {
  readonly ports: DrivePorts;
  readonly input: DriveInput;
  readonly performWork: Perform;
}

/**
 * One try of one work item: its pause, its own time limit, and an answer whatever happens. Nothing it throws reaches
 * the run: our own faults are never the subject's (docs/spec/verification.md §10.6, §10.7).
 */
export async function attempt(attempting: Attempting, work: Work, signal: AbortSignal): Promise<Settlement> {
  const { ports, input } = attempting;
  const started = ports.clock.now();
  try {
    const pause = pauseBefore(work, input.deadline - started);
    if (pause > 0) await ports.clock.sleep(pause, signal);
  } catch {
    return { attempt: work.attempt, duration_ms: Math.max(0, ports.clock.now() - started), result: faultOf(work) };
  }
  const settled = await tryNow(attempting, work, signal);
  return { ...settled, duration_ms: Math.max(0, ports.clock.now() - started) };
}

/** The same without the pause, for a driver that waits elsewhere. */
export async function tryNow(
  { ports, input, performWork }: Attempting,
  work: Work,
  signal: AbortSignal,
): Promise<Settlement> {
  const started = ports.clock.now();
  const settled = (performed: Performed): Settlement => ({
    attempt: work.attempt,
    duration_ms: Math.max(0, ports.clock.now() - started),
    ...performed,
  });
  const limit = new AbortController();
  const bounded = AbortSignal.any([signal, limit.signal]);
  try {
    const timeout = 'timeout_ms' in work ? work.timeout_ms : null;
    const performing = performWork(ports, input, work, bounded);
    if (timeout === null) return settled(await performing);
    return settled(await Promise.race([performing, expiry(ports, timeout, bounded)]));
  } catch (error) {
    if (!signal.aborted)
      ports.log.error('work failed', { work: work.id, error: error instanceof Error ? error.name : 'unknown' });
    return settled({ result: faultOf(work) });
  } finally {
    limit.abort();
  }
}

/** Milliseconds before a try begins: the provider's own pause when it ends before the deadline does. */
export function pauseBefore(work: Work, left: number): number {
  const { retry_after_ms } = work;
  return retry_after_ms !== undefined && retry_after_ms < left ? retry_after_ms : work.delay_ms;
}

async function expiry(ports: DrivePorts, timeout: number, signal: AbortSignal): Promise<Performed> {
  await ports.clock.sleep(timeout, signal);
  return { result: { kind: 'failure', code: 'step_timeout', retryable: true } };
}

function faultOf(work: Work): SettlementResult {
  switch (work.kind) {
    case 'agent':
      return { kind: 'failure', code: 'agent_unavailable', retryable: false };
    case 'code':
      return { kind: 'failure', code: 'code_unavailable', retryable: true };
    case 'trace':
      return { kind: 'failure', code: 'trace_source_failed', retryable: false };
    case 'drift':
      return { kind: 'failure', code: 'drift_unscored', retryable: false };
    case 'extract':
    case 'places':
      return { kind: 'failure', code: 'evidence_unavailable', retryable: true };
  }
}
