import { checkConfig } from '#local/config.ts';
import { type RunningHost, startHost } from '#local/host.ts';
import { openStore, type Store } from '#local/open-store.ts';
import type { UploadPlan } from '#service/ports/uploads.ts';
import { type ControlledClock, controlledClock } from './controlled-clock.ts';
import { callerOf, type TestHost } from './embedded-host.ts';
import { engineScript, type Gates, gatesOf } from './engine-script.ts';
import type { EngineStep } from './execution-case.ts';

/** A host whose clock the test moves and whose judge, or whole attempt, does what a case says. */
export interface ScriptedHost extends AsyncDisposable {
  readonly call: TestHost['call'];
  readonly clock: ControlledClock;
  readonly tenant: string;
  readonly store: Pick<Store, 'attempts' | 'dispatches'>;
  /** Sends the bytes of an upload as its plan says. */
  send(plan: UploadPlan, bytes: string): Promise<void>;
  /** Resolves when what is under way waits for the clock. */
  rest(): Promise<void>;
  /** How often a result was stored. */
  readonly stored: () => number;
  /** Lets a claim happen, then an answer of the judge, where a case looks at the states in between. */
  readonly gates: Gates;
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

export async function startScriptedHost(options: ScriptedOptions): Promise<ScriptedHost> {
  const { data, engine, workers = 16 } = options;
  const clock = controlledClock(Date.now() + (options.later ?? 0));
  const gates = gatesOf(options.gated);
  const script = engineScript(engine, clock, gates);
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
  const call = callerOf(host.url);
  return {
    call,
    clock,
    tenant: 'local',
    store,
    async send(plan, bytes) {
      if (!('put_url' in plan.data)) throw new Error('a small file travels whole');
      await call('PUT', plan.data.put_url, { raw: bytes });
    },
    // Files, child processes and sockets need real time.
    rest: () => new Promise((resolve) => setTimeout(resolve, 4)),
    stored: script.stored,
    gates,
    [Symbol.asyncDispose]: () => host.close(),
  };
}
