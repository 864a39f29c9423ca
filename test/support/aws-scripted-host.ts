import { systemIds } from '#adapters/embedded/system.ts';
import { buildApp } from '#http/app.ts';
import { boundedCache } from '#service/bounded-cache.ts';
import { drive } from '#service/drive/drive.ts';
import type { DrivePorts } from '#service/drive/performing.ts';
import type { PerformPorts } from '#service/machine/perform-work.ts';
import type { Attempts } from '#service/ports/attempts.ts';
import type { HostPorts } from '#service/ports/host.ts';
import { sweepOverdue } from '#service/submit/sweep.ts';
import { adminKey, callerOfApp } from './app-caller.ts';
import { type AwsStore, anotherProcess, freshAwsStore } from './aws-store.ts';
import { type ControlledClock, controlledClock } from './controlled-clock.ts';
import { engineScript, gatesOf } from './engine-script.ts';
import { noEffects } from './no-effects.ts';
import { playMachine } from './play-machine.ts';
import type { ExecutionHosts, OpenExecutionHosts } from './run-execution-case.ts';
import type { ScriptedHost, ScriptedOptions } from './scripted-host.ts';

const tenant = 'local';
const log = { info() {}, warn() {}, error() {} };

/** Functions over tables and buckets of the case's own, in this process; its state machines are played. */
export const awsHosts: OpenExecutionHosts = async () => {
  const store = await freshAwsStore();
  return {
    start: (options) => startAwsHost(store, options),
    async crashed(when, submit) {
      // What dies does nothing any more: a start that is never made, a settlement that is never sent.
      const dying = await startAwsHost(store, when === 'in-settle' ? { dies: 'in-settle' } : { workers: 0 });
      const answer = await submit(dying);
      if (when === 'in-settle') await dying.died;
      await dying[Symbol.asyncDispose]();
      return answer;
    },
    [Symbol.asyncDispose]: async () => {},
  } satisfies ExecutionHosts;
};

type Options = Omit<ScriptedOptions, 'data'> & { readonly dies?: 'in-settle' };

async function startAwsHost(
  shared: AwsStore,
  { engine, gated, later = 0, workers = 16, dies }: Options,
): Promise<ScriptedHost & { readonly died: Promise<void> }> {
  const clock = controlledClock(Date.now() + later);
  const store = anotherProcess(shared, { clock });
  const rest = watchCalls(store);
  const gates = gatesOf(gated);
  const script = engineScript(engine, clock, gates);
  const death = Promise.withResolvers<void>();
  const stop = new AbortController();
  const attempts = timedOut(script.around(store.ports.attempts), clock);
  const dead: typeof attempts.settle = () => {
    death.resolve();
    return new Promise(() => {});
  };
  const stores = {
    ...store.ports,
    attempts: dies === undefined ? attempts : { ...attempts, settle: dead },
    clock,
    ids: systemIds,
    log,
    engine: { name: 'touchstone', version: '0.0.0' },
    compiledVerifiers: boundedCache(100) as HostPorts['compiledVerifiers'],
  };
  const effects = effectsOf(stores);
  const machine: PerformPorts = { ...stores, effects };
  const names = new Set<string>();
  const workflow: HostPorts['workflow'] = {
    async start(of, execution_id, attempt) {
      const name = `${execution_id}-${attempt}`;
      if (workers === 0 || names.has(name)) return;
      names.add(name);
      // A machine whose step cannot be called at all gives up: the sweep brings its execution back.
      playMachine(machine, { tenant: of, execution_id }, name, script.perform).catch(() => undefined);
    },
  };
  const ports: HostPorts = {
    ...stores,
    workflow,
    drive: (input) => drive(effects, input, script.perform),
    execute_ms: 60_000,
    failingPart: async () => null,
    stopping: stop.signal,
    verifiedTokens: boundedCache(100),
    callsInFlight: new Map(),
  };
  if (workers > 0) void sweepEachMinute({ ...stores, workflow }, clock, stop.signal);
  return {
    call: await callerOfApp(buildApp(ports), await adminKey(ports, tenant)),
    clock,
    tenant,
    store: store.ports,
    rest,
    stored: script.stored,
    gates,
    died: death.promise,
    async send(plan, bytes) {
      if (plan.protocol !== 'single_put') throw new Error('a small file travels whole');
      const headers = Object.fromEntries(plan.data.required_headers.map(({ name, value }) => [name, value]));
      const sent = await fetch(plan.data.put_url, { method: 'PUT', headers, body: bytes });
      if (!sent.ok) throw new Error(await sent.text());
    },
    [Symbol.asyncDispose]: async () => stop.abort(),
  };
}

/** The platform ends a call of the settle function after 60 s (lib/service/functions.ts), and its machine catches that. */
function timedOut(attempts: Attempts, clock: ControlledClock): Attempts {
  return {
    ...attempts,
    async settle(...given) {
      const ended = new AbortController();
      const late = clock.sleep(60_000, ended.signal).then(
        () => Promise.reject(new Error('Sandbox.Timedout')),
        () => new Promise<never>(() => {}),
      );
      try {
        return await Promise.race([attempts.settle(...given), late]);
      } finally {
        ended.abort();
      }
    },
  };
}

function effectsOf({ evidence, clock }: Pick<HostPorts, 'evidence' | 'clock'>): DrivePorts {
  return {
    clock,
    log,
    evidence,
    ...noEffects,
  };
}

async function sweepEachMinute(
  ports: Parameters<typeof sweepOverdue>[0],
  clock: ControlledClock,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (;;) {
      await clock.sleep(60_000, signal);
      await sweepOverdue(ports);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Counts the calls of the clients; answers what resolves when for some turns none is under way. */
function watchCalls({ clients }: AwsStore): () => Promise<void> {
  let underWay = 0;
  for (const client of Object.values(clients)) {
    client.middlewareStack.add(
      (next: (given: unknown) => Promise<unknown>) => async (given: unknown) => {
        underWay += 1;
        try {
          return await next(given);
        } finally {
          underWay -= 1;
        }
      },
      { step: 'initialize' },
    );
  }
  return async () => {
    for (let quiet = 0; quiet < 3; quiet = underWay === 0 ? quiet + 1 : 0) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
}
