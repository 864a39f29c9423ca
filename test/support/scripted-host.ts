import { checkConfig } from '#local/config.ts';
import { type RunningHost, startHost } from '#local/host.ts';
import { openStore, type Store } from '#local/open-store.ts';
import type { Perform } from '#service/drive/performing.ts';
import type { Attempts } from '#service/ports/attempts.ts';
import { storeFailure } from '#service/ports/store-failure.ts';
import { type ControlledClock, controlledClock } from './controlled-clock.ts';
import { callerOf, type TestHost } from './embedded-host.ts';
import { type EngineStep, msOf } from './execution-case.ts';
import { verdictOf } from './judged-desk.ts';

/** An embedded host whose clock the test moves and whose judge, or whole attempt, does what a case says. */
export interface ScriptedHost extends AsyncDisposable {
  readonly call: TestHost['call'];
  readonly clock: ControlledClock;
  readonly store: Store;
  /** How often a result was stored. */
  readonly stored: () => number;
  /** Lets a claim happen, then an answer of the judge, where a case looks at the states in between. */
  readonly gates: { readonly claim: Gate; readonly judge: Gate };
}

export interface ScriptedOptions {
  readonly data: string;
  readonly engine?: readonly EngineStep[];
  readonly workers?: number;
  readonly gated?: boolean;
  /** Milliseconds after the real time. */
  readonly later?: number;
  readonly allowLoopback?: boolean;
}

export interface Gate {
  readonly passed: Promise<void>;
  readonly open: () => void;
}

export async function startScriptedHost(options: ScriptedOptions): Promise<ScriptedHost> {
  const { data, engine = [{ verdict: 'passed' }], workers = 16 } = options;
  const clock = controlledClock(Date.now() + (options.later ?? 0));
  const gates = { claim: gate(options.gated), judge: gate(options.gated) };
  const script = scripted(engine, clock, gates);
  const opened: Store[] = [];
  const host: RunningHost = await startHost(
    checkConfig({
      port: 0,
      data,
      allow_loopback_delivery: options.allowLoopback ?? false,
      limits: { background: workers, stop_seconds: 0 },
    }),
    {
      log: { info() {}, warn() {}, error() {} },
      clock,
      perform: script.perform,
      openStore: async (folder) => {
        const store = await openStore(folder);
        opened.push(store);
        return { ...store, attempts: script.around(store.attempts) };
      },
    },
  );
  const [store] = opened;
  if (store === undefined) throw new Error('the host opened no store');
  return {
    call: callerOf(host.url),
    clock,
    store,
    stored: script.stored,
    gates,
    [Symbol.asyncDispose]: () => host.close(),
  };
}

/** The n-th attempt, which asks the judge once, follows the n-th line. */
function scripted(engine: readonly EngineStep[], clock: ControlledClock, gates: ScriptedHost['gates']) {
  let judged = 0;
  let stored = 0;
  const step = (attempt: number) => engine[Math.min(attempt, engine.length) - 1] ?? {};
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

function gate(closed = false): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (!closed) resolve();
  return { passed: promise, open: resolve };
}
