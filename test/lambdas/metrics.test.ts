import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '#adapters/embedded/system.ts';
import { parquetFiles } from '#adapters/parquet/read-parquet.ts';
import { metrics } from '#contract/aws-names.ts';
import { boundedCache } from '#service/bounded-cache.ts';
import type { CompiledVerifier } from '#service/cards/compiled-verifiers.ts';
import { storeFailure } from '#service/ports/store-failure.ts';
import { type AttemptStore, openAttemptStore } from '#test/support/attempt-ports.ts';
import { judgedSpec } from '#test/support/judged-desk.ts';
import { settleWithDispatches } from '#test/support/settle-with-dispatches.ts';
import { auditAll } from '../../lambdas/compose/audit-all.ts';
import { countMetric } from '../../lambdas/compose/count-metric.ts';
import { countErrored, countStoreFailures } from '../../lambdas/compose/counted-stores.ts';
import { sweepAll } from '../../lambdas/compose/sweep-all.ts';
import { resourcesOf, synthesize } from '../lib/synthesized.ts';

const lines: string[] = [];
let store: AttemptStore;
beforeEach(async () => {
  lines.length = 0;
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  store = await openAttemptStore();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store[Symbol.asyncDispose]();
});

/** Name and value of each metric line, as CloudWatch would take them out. */
function counted(): readonly (readonly [string, number])[] {
  return lines.flatMap((line) => {
    const document = JSON.parse(line);
    return (document._aws?.CloudWatchMetrics ?? []).flatMap(({ Metrics }: { Metrics: { Name: string }[] }) =>
      Metrics.map(({ Name }) => [Name, document[Name]] as const),
    );
  });
}

const failing = () => Promise.reject(storeFailure('away', null));

async function sweep(more: object = {}) {
  const silent = { info() {}, warn() {}, error() {} };
  const workflow = { start: async () => {} };
  const ringing = { compiledVerifiers: boundedCache<CompiledVerifier>(1), parquet: parquetFiles, deliveries: workflow };
  const ports = {
    ...store.store,
    ...ringing,
    clock: systemClock,
    log: silent,
    workflow,
    sweepOperations: async () => 2,
  };
  return sweepAll({ ...ports, ...more }, countMetric);
}

async function claimed(lease_until: number) {
  const { execution } = await store.admitted(judgedSpec, {}, systemClock);
  const claim = { lease: 'l', now: Date.now(), lease_until };
  await store.store.attempts.claim('acme', execution.execution_id, claim);
  return execution.execution_id;
}

const error = { code: 'WYRD_SPEC_500_INTERNAL', message: 'm' } as const;
const errored = { status: 'errored', verdict: null, result: null, record: null, error, ended_at: 'now' } as const;

/** Each way that a metric comes to be. */
const paths: Readonly<Record<string, readonly [names: readonly string[], () => Promise<unknown>]>> = {
  'a sweep': [
    [
      metrics.overdueExecutions,
      metrics.overdueRows,
      metrics.failedRows,
      metrics.spooledResults,
      metrics.abandonedDeclarations,
      metrics.unsignedRecords,
      metrics.unclosedLogs,
    ],
    () => sweep(),
  ],
  'an audit': [
    [metrics.differingLogs],
    () => auditAll({ ...store.store, clock: systemClock, log: { info() {}, warn() {}, error() {} } }, countMetric),
  ],
  'a store call given up': [
    [metrics.storeFailures],
    async () => {
      const ports = { keys: { find: failing }, sweepOperations: failing };
      await expect(countStoreFailures(ports, countMetric).keys.find()).rejects.toThrow('away');
    },
  ],
  'an attempt that ends errored': [
    [metrics.erroredExecutions],
    async () => {
      const attempts = countErrored(store.store.attempts, countMetric);
      await attempts.settle('acme', await claimed(Date.now() + 60_000), 'l', errored);
    },
  ],
  'a lost worker after the last attempt': [
    [metrics.erroredExecutions],
    async () => {
      const attempts = countErrored(store.store.attempts, countMetric);
      await attempts.release('acme', await claimed(1), { now: 2, to: 'errored', error, ended_at: 'now' });
    },
  ],
};

describe('metrics', () => {
  it.each(Object.entries(paths))('are written by %s', async (_path, [names, run]) => {
    await run();
    expect(
      counted()
        .map(([name]) => name)
        .sort(),
    ).toEqual([...names].sort());
  });

  it('are the ones that the stack shows or watches: all of them, and no other', () => {
    const { service } = synthesize();
    const shown = JSON.stringify(resourcesOf(service, 'AWS::CloudWatch::Dashboard'));
    const inDashboard = [...shown.matchAll(/\\"Touchstone\\",\\"(\w+)\\"/g)].map((match) => match[1]);
    const watched = resourcesOf(service, 'AWS::CloudWatch::Alarm').flatMap(({ properties }) =>
      properties.Namespace === metrics.namespace ? [properties.MetricName] : [],
    );
    const written = Object.values(paths).flatMap(([names]) => names);
    expect([...new Set([...inDashboard, ...watched])].sort()).toEqual([...new Set(written)].sort());
    const { namespace: _namespace, ...named } = metrics;
    expect(Object.values(named).sort()).toEqual([...new Set(written)].sort());
  });

  it('are a line in the embedded form, without dimensions', () => {
    countMetric(metrics.storeFailures, 3);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.endsWith('}\n')).toBe(true);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      _aws: {
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [
          { Namespace: 'Touchstone', Dimensions: [[]], Metrics: [{ Name: 'StoreFailures', Unit: 'Count' }] },
        ],
      },
      StoreFailures: 3,
    });
  });
});

describe('stores that are counted', () => {
  it('answer as before, and count nothing that is no StoreFailure', async () => {
    const ports = {
      a: { works: async (n: number) => n + 1, plain: () => 7, defect: () => Promise.reject(new Error('d')) },
    };
    const { a } = countStoreFailures(ports, countMetric);
    expect([await a.works(1), a.plain()]).toEqual([2, 7]);
    await expect(a.defect()).rejects.toThrow('d');
    expect(counted()).toEqual([]);
  });

  it('count what is written, and not what another ended', async () => {
    const attempts = countErrored(store.store.attempts, countMetric);
    const id = await claimed(Date.now() + 60_000);
    expect(await attempts.settle('acme', id, 'of another', errored)).toBe(false);
    expect(await attempts.settle('acme', id, 'l', { ...errored, status: 'timed_out' })).toBe(true);
    expect(counted()).toEqual([]);
  });
});

describe('a sweep', () => {
  it('does all its parts when one fails, and fails then', async () => {
    let late = false;
    const sweepOperations = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      late = true;
      return 1;
    };
    const attempts = { ...store.store.attempts, overdue: failing };
    await expect(sweep({ sweepOperations, attempts })).rejects.toThrow('away');
    expect(late).toBe(true);
    expect(new Map(counted())).toEqual(
      new Map([
        [metrics.overdueRows, 0],
        [metrics.failedRows, 0],
        [metrics.spooledResults, 0],
        [metrics.abandonedDeclarations, 1],
        [metrics.unsignedRecords, 0],
        [metrics.unclosedLogs, 0],
      ]),
    );
  });

  it('counts a row that cannot be rung each time, says what it is, and rings the others', async () => {
    const settled_at = Date.now() - 60_000;
    const [poisoned, other] = await settleWithDispatches(store.store, 'acme', settled_at, [{ n: 1 }, { n: 2 }]);
    const started: string[] = [];
    const start = async (_tenant: string, { dispatch_id }: { readonly dispatch_id: string }) => {
      if (dispatch_id === poisoned?.dispatch_id) throw storeFailure('away', null);
      started.push(dispatch_id);
    };
    const errors: unknown[] = [];
    const log = {
      info() {},
      warn() {},
      error: (message: string, fields?: object) => errors.push({ message, ...fields }),
    };
    for (let minute = 0; minute < 2; minute += 1) await sweep({ deliveries: { start }, log });
    expect(counted().filter(([name]) => name === metrics.failedRows)).toEqual([
      [metrics.failedRows, 1],
      [metrics.failedRows, 1],
    ]);
    const row = { kind: 'dispatch', tenant: 'acme', of: poisoned?.execution_id, error: 'StoreFailure' };
    expect(errors).toEqual(Array(2).fill({ message: 'what is due could not be rung', ...row }));
    expect(started).toEqual([other?.dispatch_id, other?.dispatch_id]);
  });

  it('says how many results still wait when the store refuses them', async () => {
    await store.store.spool.put('acme', (await store.admitted(judgedSpec, {}, systemClock)).execution);
    await sweep({ executions: { ...store.store.executions, storeSettled: failing } });
    expect(counted()).toContainEqual([metrics.spooledResults, 1]);
    lines.length = 0;
    await sweep();
    expect(counted()).toContainEqual([metrics.spooledResults, 0]);
  });
});
