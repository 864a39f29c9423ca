import { parquetFiles } from '#adapters/parquet/read-parquet.ts';
import { boundedCache } from '#service/bounded-cache.ts';
import { drive } from '#service/drive/drive.ts';
import type { Performed } from '#service/drive/performing.ts';
import type { HostPorts } from '#service/ports/host.ts';
import type { Parquet } from '#service/ports/parquet.ts';
import type { Clock, Log } from '#service/ports.ts';
import { noEffects } from './no-effects.ts';

/** The stores of one host, without what a process adds to them. */
export type Stores = Omit<
  HostPorts,
  | 'log'
  | 'drive'
  | 'workflow'
  | 'deliveries'
  | 'engine'
  | 'execute_ms'
  | 'failingPart'
  | 'stopping'
  | 'verifiedTokens'
  | 'compiledVerifiers'
  | 'callsInFlight'
  | 'retention_rules'
  | 'clock'
  | 'ids'
>;

export interface OpenedStores extends AsyncDisposable {
  readonly stores: Stores;
  /** Ends the process that keeps the store and starts another one. */
  restart(): Promise<Stores>;
}

/** Opens empty stores that stamp what they write with this clock. */
export type OpenStores = (clock: Clock) => Promise<OpenedStores>;

export interface BackgroundWorld {
  readonly clock: Clock;
  /** Milliseconds since the epoch. */
  now: number;
  /** Names that the next ids are given to. */
  readonly nextNames: string[];
  readonly nameOf: (id: string) => string | undefined;
  readonly idOf: (name: string) => string;
  /** Executions in the order in which they were started. */
  readonly started: string[];
  /** What the judge of each execution answers. */
  readonly answers: Map<string, Performed>;
  ports(): HostPorts & { readonly parquet: Parquet };
  use(stores: Stores): void;
}

const log: Log = { info() {}, warn() {}, error() {} };

/** Use cases over the stores of a host, at a time and with ids and answers that a case sets. */
export function backgroundWorld(start: number, initial: Stores, clockOf: { now: number }): BackgroundWorld {
  let stores = initial;
  const names = new Map<string, string>();
  const nextNames: string[] = [];
  const started: string[] = [];
  const answers = new Map<string, Performed>();
  let made = 0;
  const clock: Clock = { now: () => clockOf.now, sleep: untilAborted };
  const compiledVerifiers: HostPorts['compiledVerifiers'] = boundedCache(100);
  // Ids of names stand in the order of the names, before those of the same moment that nobody named.
  const nextId = () => {
    const name = nextNames.shift();
    made += 1;
    const tail = name === undefined ? `f${String(made).padStart(11, '0')}` : name.slice(1).padStart(12, '0');
    const time = clockOf.now.toString(16).padStart(12, '0');
    const id = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail}`;
    if (name !== undefined) names.set(id, name);
    return id;
  };
  return {
    clock,
    get now() {
      return clockOf.now;
    },
    set now(to) {
      clockOf.now = Math.max(start, to);
    },
    nextNames,
    nameOf: (id) => names.get(id),
    idOf: (name) => [...names].find(([, known]) => known === name)?.[0] ?? '',
    started,
    answers,
    use(to) {
      stores = to;
    },
    ports: () => ({
      ...stores,
      clock,
      ids: { next: nextId },
      log,
      retention_rules: { days: 400, legal_hold: false },
      compiledVerifiers,
      verifiedTokens: boundedCache(10),
      callsInFlight: new Map(),
      engine: { name: 'touchstone', version: '0.0.0' },
      execute_ms: 60_000,
      failingPart: async () => null,
      stopping: new AbortController().signal,
      // Cases of deliveries have a world of their own.
      deliveries: { start: async () => {} },
      parquet: parquetFiles,
      workflow: {
        async start(_tenant, executionId) {
          if (!started.includes(executionId)) started.push(executionId);
        },
      },
      drive: (input) => {
        const { evidence, records: _records, ...rest } = stores;
        const effects = {
          ...rest,
          clock,
          log,
          evidence,
          ...noEffects,
        };
        return drive(effects, input, async () => answers.get('next') ?? { result: { kind: 'busy' } });
      },
    }),
  };
}

function untilAborted(_ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
}
