import { v7 } from 'uuid';
import { createDeliver } from '#adapters/delivery/deliver.ts';
import { type Address, type Exchange, exchange } from '#adapters/delivery/exchange.ts';
import type { JsonObject } from '#contract/json.ts';
import { rolePermissions } from '#service/auth/permissions.ts';
import type { Principal } from '#service/auth/principal.ts';
import { providerUrls } from '#service/operators/build-request.ts';
import { createConnection } from '#service/operators/connections.ts';
import { type DeliverPorts, deliverDispatch } from '#service/operators/deliver-dispatch.ts';
import { type Dispatch, dispatchOfDueId } from '#service/ports/dispatches.ts';
import { readExecution } from '#service/verify/read-executions.ts';
import type { OpenStores, Stores } from './background-world.ts';
import { type ControlledClock, controlledClock } from './controlled-clock.ts';
import type { DeliveryGiven } from './delivery-case.ts';
import { type ProviderAnswer, type ProviderCall, startScriptedProvider } from './scripted-provider.ts';
import { settleWithDispatches } from './settle-with-dispatches.ts';

export interface DeliveryRun {
  readonly dispatches: readonly Dispatch[];
  /** Seconds after the settlement, of each attempt of the first Operator. */
  readonly attempts_at: readonly number[];
  /** How long each took. */
  readonly attempt_seconds: readonly number[];
  readonly calls: readonly ProviderCall[];
  /** Addresses that were called. */
  readonly called: readonly string[];
  /** Everything that is stored or said about the execution. */
  readonly said: string;
  readonly verdict: string;
}

const tenant = 'main';
const admin: Principal = {
  tenant,
  id: 'p',
  permissions: new Set(rolePermissions.admin),
  verifier_uids: null,
  card_uid: null,
};

/** Runs dispatches of one execution, one for each script, from their creation to their end. */
export async function runDeliveryCase(open: OpenStores, scripts: readonly DeliveryGiven[]): Promise<DeliveryRun> {
  const clock = controlledClock(Math.floor(Date.now() / 1_000) * 1_000);
  const start = clock.now();
  await using opened = await open(clock);
  const { stores } = opened;
  const said: string[] = [];
  const network = await networkOf(scripts);
  await using provider = network.provider;
  const ports = portsOf(stores, clock, network, (line) => said.push(line));
  const [first] = scripts;
  if (first?.auth) await connect(ports, first.auth);
  const made = await settleWithDispatches(stores, tenant, start, scripts.map(operatorOf));
  const attempts: { readonly id: string; readonly at: number; readonly took: number }[] = [];
  for (let look = 0; look < 20; look += 1) {
    const due = (await stores.dueRows.due({ now: start + 86_400_000, limit: 10 })).filter(
      (row) => row.kind === 'dispatch',
    );
    const [next] = due;
    if (next === undefined) break;
    if (next.due_at > clock.now()) await clock.advance(next.due_at - clock.now());
    const at = clock.now();
    await attemptOf(ports, clock, provider.hung(), dispatchOfDueId(next.id));
    attempts.push({ id: next.id, at: (at - start) / 1_000, took: (clock.now() - at) / 1_000 });
  }
  const execution_id = made[0]?.execution_id ?? '';
  const dispatches = await stores.dispatches.ofExecution(tenant, execution_id);
  const state = await readExecution(stores, admin, execution_id);
  const own = attempts.filter(({ id }) => id.endsWith(made[0]?.dispatch_id ?? ''));
  return {
    dispatches,
    attempts_at: own.map(({ at }) => at),
    attempt_seconds: own.map(({ took }) => took),
    calls: provider.calls,
    called: network.called,
    said: JSON.stringify([said, state, dispatches, await stores.connections.list(tenant)]),
    verdict: (JSON.parse(state) as { result: { outcome: { verdict: string } } }).result.outcome.verdict,
  };
}

/** One attempt; a provider that hangs is waited for as long as the clock of the case says. */
async function attemptOf(
  ports: DeliverPorts,
  clock: ControlledClock,
  hung: Promise<void>,
  place: ReturnType<typeof dispatchOfDueId>,
): Promise<void> {
  const done = deliverDispatch(ports, tenant, place, new AbortController().signal).catch((error: unknown) => {
    if (!(error instanceof Error) || error.message !== 'scripted crash') throw error;
  });
  const first = await Promise.race([done.then(() => 'done'), hung.then(() => 'hung')]);
  if (first === 'hung') await clock.advance(30_000);
  await done;
}

function portsOf(
  stores: Stores,
  clock: ControlledClock,
  network: Awaited<ReturnType<typeof networkOf>>,
  say: (line: string) => void,
): DeliverPorts {
  const write = (message: string, fields?: JsonObject) => say(JSON.stringify([message, fields]));
  return {
    ...stores,
    clock,
    ids: { next: v7 },
    log: { info: write, warn: write, error: write },
    providerUrls,
    dispatches: {
      ...stores.dispatches,
      async end(...call) {
        if (network.crashes()) throw new Error('scripted crash');
        return stores.dispatches.end(...call);
      },
    },
    deliver: createDeliver({
      clock,
      allowLoopback: false,
      resolve: network.resolve,
      exchange: network.exchange,
    }),
  };
}

function operatorOf({ expect_status, timeout_seconds, auth }: DeliveryGiven, index: number): JsonObject {
  return {
    kind: 'http',
    method: 'post',
    url: `https://hooks-${index}.example.com/`,
    body: { summary: '{{summary}}' },
    ...(expect_status === undefined ? {} : { expect_status }),
    ...(timeout_seconds === undefined ? {} : { timeout_seconds }),
    ...(auth === undefined ? {} : { auth: { scheme: auth.scheme, name: auth.name, connection: 'hooks' } }),
  };
}

async function connect(ports: DeliverPorts, auth: NonNullable<DeliveryGiven['auth']>): Promise<void> {
  const origin = 'https://hooks-0.example.com';
  await createConnection(ports, admin, { provider: 'http', name: 'hooks', origin, auth });
}

/** Names, addresses and one server on loopback behind all of them: an internet of a case. */
async function networkOf(scripts: readonly DeliveryGiven[]) {
  const exchanges = scripts.map(() => 0);
  const called: string[] = [];
  const indexOf = (host: string) => Number(/^hooks-(\d+)\./.exec(host)?.[1] ?? 0);
  const lineOf = (index: number, call: number): ProviderAnswer => {
    const { answers = [] } = scripts[index] ?? {};
    return answers[Math.min(call, answers.length) - 1] ?? {};
  };
  const provider = await startScriptedProvider(({ headers }) => {
    const index = indexOf(headers.host ?? '');
    return lineOf(index, exchanges[index] ?? 0);
  });
  let lookups = 0;
  let crashed = false;
  const crash = scripts[0]?.events?.some((event) => event.crash) ?? false;
  return {
    provider,
    called,
    crashes() {
      if (!crash || crashed) return false;
      crashed = true;
      return true;
    },
    async resolve(host: string): Promise<readonly Address[]> {
      const index = indexOf(host);
      const { resolves_to = ['93.184.216.34'], resolves_in_turn } = scripts[index] ?? {};
      if (lineOf(index, (exchanges[index] ?? 0) + 1).fail === 'name-not-found') {
        exchanges[index] = (exchanges[index] ?? 0) + 1;
        throw new Error('ENOTFOUND');
      }
      const turn = resolves_in_turn?.[Math.min(lookups, resolves_in_turn.length - 1)];
      lookups += 1;
      return (turn ?? resolves_to).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
    exchange(given: Exchange, signal: AbortSignal) {
      const index = indexOf(given.url.hostname);
      exchanges[index] = (exchanges[index] ?? 0) + 1;
      called.push(given.addresses[0]?.address ?? '');
      const { fail } = lineOf(index, exchanges[index] ?? 0);
      const url = new URL(given.url);
      // Plain text where the case does not ask for a broken channel; the port of nobody where it asks for a refusal.
      if (fail !== 'tls') url.protocol = 'http:';
      url.port = fail === 'connection-refused' ? '1' : String(provider.port);
      return exchange({ ...given, url, addresses: [{ address: '127.0.0.1', family: 4 }] }, signal);
    },
  };
}
