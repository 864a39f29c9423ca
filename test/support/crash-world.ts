import { DescribeExecutionCommand, paginateListExecutions, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { createDeliver } from '#adapters/delivery/deliver.ts';
import { systemIds } from '#adapters/embedded/system.ts';
import { parquetFiles } from '#adapters/parquet/read-parquet.ts';
import { type AttemptInput, environmentNames } from '#contract/aws-names.ts';
import { ringDue } from '#service/alarms/ring-due.ts';
import { rolePermissions } from '#service/auth/permissions.ts';
import type { Principal } from '#service/auth/principal.ts';
import { boundedCache } from '#service/bounded-cache.ts';
import type { Perform } from '#service/drive/performing.ts';
import { deliverDispatch } from '#service/operators/deliver-dispatch.ts';
import type { Deliveries } from '#service/ports/deliver.ts';
import type { HostPorts } from '#service/ports/host.ts';
import type { Parquet } from '#service/ports/parquet.ts';
import type { Clock } from '#service/ports.ts';
import { sweepOverdue } from '#service/submit/sweep.ts';
import { type AwsStore, freshAwsStore } from './aws-store.ts';
import { verdictOf } from './judged-desk.ts';
import { type Death, type MortalProcess, mortalProcess } from './mortal-process.ts';
import { noEffects } from './no-effects.ts';
import { playMachine } from './play-machine.ts';
import { type ProviderCall, startScriptedProvider } from './scripted-provider.ts';

/** Stores, state machines, a provider and a time that outlive every process of a deployment. */
export interface CrashWorld extends AsyncDisposable {
  readonly now: number;
  pass(ms: number): void;
  process(life?: Life): CrashProcess;
  /** Names of all machines that were ever started. */
  machines(): Promise<readonly string[]>;
  readonly provider: { readonly url: string; readonly calls: readonly ProviderCall[] };
  /** Another world on these stores. */
  readonly shared: AwsStore;
}

interface Life {
  readonly death?: Death;
  /** Does what the judge of every attempt does. */
  readonly judge?: (process: MortalProcess) => ReturnType<Perform>;
}

export interface CrashProcess {
  readonly ports: CrashPorts;
  readonly life: MortalProcess;
  /** Plays each started machine that nobody played, with the deliveries that it ends in. */
  play(): Promise<void>;
  /** What the sweep of each minute does with background work. */
  sweep(more?: Partial<CrashPorts>): Promise<void>;
}

type CrashPorts = Omit<HostPorts, 'drive'> & { readonly parquet: Parquet };

/** A minute of the sweep. */
export const minute = 60_000;

/** `restored`: a store that is as it was, while machines and providers are as they are. */
export async function crashWorld(restored?: AwsStore, start = Date.now()): Promise<CrashWorld> {
  const shared = restored ?? (await freshAwsStore());
  const provider = await startScriptedProvider([{ status: 200 }]);
  const time = { now: start };
  const clock: Clock = { now: () => time.now, sleep: untilAborted };
  const stateMachineArn = String(shared.environment[environmentNames.attemptMachine]);
  const started = async () => {
    const found: { readonly name: string; readonly arn: string }[] = [];
    for await (const { executions } of paginateListExecutions({ client: shared.clients.sfn }, { stateMachineArn })) {
      found.push(...(executions ?? []).map(({ name = '', executionArn = '' }) => ({ name, arn: executionArn })));
    }
    return found.sort((a, b) => a.name.localeCompare(b.name));
  };
  const played = new Set(restored && (await started()).map(({ name }) => name));
  const stop = (executionArn: string) => shared.clients.sfn.send(new StopExecutionCommand({ executionArn }));
  const inputOf = async (executionArn: string) => {
    const { input } = await shared.clients.sfn.send(new DescribeExecutionCommand({ executionArn }));
    return JSON.parse(input ?? '') as AttemptInput;
  };
  return {
    get now() {
      return time.now;
    },
    pass(ms) {
      time.now += ms;
    },
    process({ death, judge = async () => verdictOf('failed') } = {}) {
      const life = mortalProcess(shared, clock, death);
      const ports = portsOf(life, clock);
      const effects = effectsOf(ports);
      return {
        ports,
        life,
        async play() {
          for (const { name, arn } of await started()) {
            // The machine of a process that died before lives on, for another to play.
            if (life.isDead() || played.has(name)) continue;
            played.add(name);
            const { tenant, execution_id } = await inputOf(arn);
            try {
              const ended = await playMachine({ ...ports, effects }, { tenant, execution_id }, name, () => judge(life));
              for (const dispatch_id of ended) await ports.deliveries.start(tenant, { execution_id, dispatch_id });
            } finally {
              // With its process the machine has ended, too.
              await stop(arn);
            }
          }
        },
        async sweep(more = {}) {
          await sweepOverdue({ ...ports, ...more });
          await ringDue({ ...ports, ...more });
        },
      };
    },
    machines: async () => (await started()).map(({ name }) => name),
    provider,
    shared,
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}

const log = { info() {}, warn() {}, error() {} };

function portsOf({ ports: stores }: MortalProcess, clock: Clock): CrashPorts {
  const own = {
    ...stores,
    clock,
    log,
    ids: systemIds,
    providerUrls: { pager_duty: 'https://events.pagerduty.com', slack: 'https://slack.com' },
    deliver: createDeliver({ clock, allowLoopback: true }),
  };
  // The function that delivers is called here, in the place of an event to it.
  const deliveries: Deliveries = {
    start: (tenant, place) => deliverDispatch(own, tenant, place, new AbortController().signal),
  };
  return {
    ...own,
    deliveries,
    engine: { name: 'touchstone', version: '0.0.0' },
    execute_ms: minute,
    failingPart: async () => null,
    stopping: new AbortController().signal,
    verifiedTokens: boundedCache(10),
    compiledVerifiers: boundedCache(100),
    callsInFlight: new Map(),
    parquet: parquetFiles,
  };
}

function effectsOf({ evidence, clock }: Pick<CrashPorts, 'evidence' | 'clock'>) {
  return {
    clock,
    log,
    evidence,
    ...noEffects,
  };
}

/** Time passes between the steps of a row only: what waits for it alone would wait for ever. */
function untilAborted(_ms: number, signal?: AbortSignal): Promise<void> {
  if (signal === undefined) return Promise.reject(new Error('nothing waits here'));
  return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
}

/** May do everything. */
export function administratorOf(tenant: string): Principal {
  return {
    tenant,
    id: 'administrator',
    permissions: new Set(rolePermissions.admin),
    verifier_uids: null,
    card_uid: null,
  };
}
