import type { Perform } from '#service/drive/performing.ts';
import type { Attempts } from '#service/ports/attempts.ts';
import { storeFailure } from '#service/ports/store-failure.ts';
import type { ControlledClock } from './controlled-clock.ts';
import { type EngineStep, msOf } from './execution-case.ts';
import { verdictOf } from './judged-desk.ts';

/** Lets a claim happen, then an answer of the judge, where a case looks at the states in between. */
export interface Gates {
  readonly claim: Gate;
  readonly judge: Gate;
}

interface Gate {
  readonly passed: Promise<void>;
  readonly open: () => void;
}

/** The n-th attempt, which asks the judge once, follows the n-th line of the case. */
export function engineScript(engine: readonly EngineStep[] | undefined, clock: ControlledClock, gates: Gates) {
  const steps = engine ?? [{ verdict: 'passed' }];
  let judged = 0;
  let stored = 0;
  const step = (attempt: number) => steps[Math.min(attempt, steps.length) - 1] ?? {};
  const perform: Perform = async (_ports, _input, _work, signal) => {
    judged += 1;
    const { takes, check_error, verdict, then } = step(judged);
    await gates.judge.passed;
    if (takes !== undefined) await clock.sleep(msOf(takes), signal);
    if (check_error !== undefined) return { result: { kind: 'failure', code: 'provider_error', retryable: true } };
    return verdictOf(verdict ?? then?.verdict ?? 'passed');
  };
  const around = (attempts: Attempts): Attempts => ({
    ...attempts,
    async claim(...call) {
      await gates.claim.passed;
      return attempts.claim(...call);
    },
    async settle(tenant, id, lease, settled) {
      const { fail, stalls } = step(judged);
      if (settled.status === 'completed' && fail !== undefined) throw storeFailure('scripted', null);
      // The worker stands still with its answer in hand.
      if (stalls !== undefined) await clock.sleep(msOf(stalls));
      const written = await attempts.settle(tenant, id, lease, settled);
      if (written && settled.result !== null) stored += 1;
      return written;
    },
  });
  return { perform, around, stored: () => stored };
}

export function gatesOf(closed = false): Gates {
  return { claim: gate(closed), judge: gate(closed) };
}

function gate(closed: boolean): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (!closed) resolve();
  return { passed: promise, open: resolve };
}
