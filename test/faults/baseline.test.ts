import { createHash } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkConfig } from '#local/config.ts';
import { startHost } from '#local/host.ts';
import { openStore, type Store } from '#local/open-store.ts';
import { type BaselineState, fittingMs } from '#service/ports/baselines.ts';
import { controlledClock } from '#test/support/controlled-clock.ts';
import { expectWhole, labelledCheck, labelledFile } from '#test/support/crash-scenes/baseline.ts';
import { windowSpec } from '#test/support/declare-window.ts';
import { callerOf, card, uidsOf, uniqueKey } from '#test/support/embedded-host.ts';
import { startFaultHost } from '#test/support/start-fault-host.ts';

/** docs/spec/background.md §11 row 13: the process is killed at a write point between a declaration and its fit. */
const long = process.env.TOUCHSTONE_LONG === '1';
const silent = { info() {}, warn() {}, error() {} };
let template: string;

beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), 'touchstone-baseline-faults-'));
  const host = await startHost(checkConfig({ port: 0, data: template }), { log: silent });
  const { bytes, size_bytes } = labelledFile;
  const digest = createHash('sha256').update(bytes).digest();
  const artifacts = [{ relative_path: 'rows.parquet', sha256: digest.toString('base64'), size_bytes }];
  const declared = await callerOf(host.url)('POST', '/v1/cards', {
    body: { submissions: [{ ...card('Data', 'baseline', { interface: { kind: 'Parquet' } }), artifacts }] },
    headers: { 'idempotency-key': uniqueKey() },
  });
  await host.close();
  await withStore(template, async ({ evidence, registry }) => {
    await evidence.write('local', { sha256: digest.toString('hex'), size_bytes }, [bytes].values() as never);
    await registry.settlePending('local', uidsOf(declared).baseline ?? '', 'active', new Date().toISOString());
  });
});
afterAll(() => rm(template, { recursive: true, force: true }));

async function withStore<Value>(data: string, use: (store: Store) => Promise<Value>): Promise<Value> {
  const store = await openStore(data);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** The uid of the Verifier; null when the connection broke. */
async function declareVerifier(url: string, key: string): Promise<string | null> {
  try {
    const declared = await callerOf(url)('POST', '/v1/cards', {
      body: { submissions: [card('Verifier', 'steady', windowSpec({ steady: labelledCheck }))] },
      headers: { 'idempotency-key': key },
    });
    expect([200, 201], declared.text).toContain(declared.status);
    return uidsOf(declared).steady ?? '';
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Another process, whose clock the test moves: the client asks again, and the fit is made, not before a lease ends. */
async function expectRecovery(data: string, key: string, left: BaselineState | null): Promise<void> {
  const clock = controlledClock(Date.now());
  const opened: Store[] = [];
  const host = await startHost(checkConfig({ port: 0, data }), {
    log: silent,
    clock,
    openStore: async (folder) => {
      const store = await openStore(folder);
      opened.push(store);
      return store;
    },
  });
  try {
    const verifier_uid = (await declareVerifier(host.url, key)) ?? '';
    const find = async () =>
      (await opened[0]?.baselines.find('local', { verifier_uid, requirement: 'steady' })) ?? null;
    if (left?.status === 'building') {
      await clock.advance(fittingMs - 120_000);
      expect(await find()).toEqual(left);
      await clock.advance(120_000);
    }
    for (let look = 0; look < 1_000 && (await find())?.status !== 'ready'; look += 1) {
      await clock.advance(1_000);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expectWhole(await find());
  } finally {
    await host.close();
  }
}

/** Write points in order: declaration 1–9, begin of the fit 10–15, its end 16–21, each the last after its commit. */
const lastPoint = 21;

function leftAt(point: number): BaselineState['status'] | undefined {
  if (point <= 9) return undefined;
  if (point <= 14) return 'pending';
  return point <= 20 ? 'building' : 'ready';
}

const points = Array.from({ length: lastPoint }, (_unused, index) => index + 1);
/** After a declaration nobody was told of, with the lease taken, before and after the end of the fit. */
const sample = [9, 15, 20, 21];

describe('killed while a baseline is declared and fitted', () => {
  it.concurrent.each(long ? points : sample)('point %i', { timeout: 60_000 }, async (point) => {
    const data = await mkdtemp(join(tmpdir(), 'touchstone-baseline-fault-'));
    await cp(template, data, { recursive: true });
    try {
      const key = uniqueKey();
      const uid = await killedAt(data, point, key);
      const place = { verifier_uid: uid ?? '', requirement: 'steady' };
      const left = await withStore(data, ({ baselines }) => baselines.find('local', place));
      expect(left?.status).toBe(leftAt(point));
      if (left?.status === 'ready') expectWhole(left);
      await expectRecovery(data, key, left);
    } finally {
      await rm(data, { recursive: true, force: true });
    }
  });
});

async function killedAt(data: string, point: number, key: string): Promise<string | null> {
  await using child = await startFaultHost(data, point);
  const uid = await declareVerifier(child.url, key);
  await child.ended;
  return uid;
}
