import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkConfig } from '#local/config.ts';
import { startHost } from '#local/host.ts';
import { openStore } from '#local/open-store.ts';
import type { Dispatch } from '#service/ports/dispatches.ts';
import { callerOf, type TestHost, uniqueKey } from '#test/support/embedded-host.ts';
import type { Target } from '#test/support/judged-desk.ts';
import { declareOperatorsDesk, submitAnswer } from '#test/support/operators-desk.ts';
import { startScriptedHost } from '#test/support/scripted-host.ts';
import { startScriptedProvider } from '#test/support/scripted-provider.ts';
import { startFaultHost } from '#test/support/start-fault-host.ts';

const long = process.env.TOUCHSTONE_LONG === '1';

/** docs/spec/background.md §11 row 9: killed while the provider has the call in hand. */
describe('a kill during a delivery', () => {
  it('delivers again with the same key, and counts both attempts', async () => {
    const data = await mkdtemp(join(tmpdir(), 'touchstone-deliver-'));
    try {
      await using provider = await startScriptedProvider([{ hang: true }, { status: 200 }]);
      const { id } = await killed(data, provider);
      await using host = await startScriptedHost({ data, later: 61_000, allowLoopback: true });
      const state = async () => (await host.call('GET', `/v1/verification/executions/${id}`)).json;
      const status = async () => (await state()).dispatches[0].status;
      for (let look = 0; look < 200 && (await status()) !== 'delivered'; look += 1) {
        await new Promise((resolve) => setTimeout(resolve, 4));
        await host.clock.advance(1_000);
      }
      const [dispatch] = (await state()).dispatches;
      expect(dispatch).toMatchObject({ status: 'delivered', error: null });
      const keys = provider.calls.map(({ headers }) => headers['idempotency-key']);
      expect(keys).toEqual([dispatch.dispatch_id, dispatch.dispatch_id]);
      expect((await host.store.dispatches.ofExecution('local', id))[0]?.attempts).toBe(2);
    } finally {
      await rm(data, { recursive: true, force: true });
    }
  });
});

/** Write points in order: enqueue 1–9, claim 10–16, settle 17–25, claim of the dispatch 26–31, its end 32–37. */
const settled = 25;
const lastPoint = 37;

function leftAt(point: number): Pick<Dispatch, 'status' | 'attempts'> {
  if (point <= 30) return { status: 'pending', attempts: 0 };
  return { status: point < lastPoint ? 'running' : 'delivered', attempts: 1 };
}

const points = Array.from({ length: lastPoint - settled + 1 }, (_unused, index) => settled + index);
const sample = [25, 31, 36];

/** Rows 8, 9 and 15: a process goes on from the point of the kill, and so does another on a backup of that point. */
describe('a kill between a verdict and the end of its delivery', () => {
  it.concurrent.each(long ? points : sample)('point %i', { timeout: 60_000 }, async (point) => {
    const data = await mkdtemp(join(tmpdir(), 'touchstone-deliver-'));
    const backup = `${data}-backup`;
    try {
      await using provider = await startScriptedProvider([{ status: 200 }]);
      const target = await declaredDesk(data, provider.url);
      {
        await using child = await startFaultHost(data, point);
        await submitAnswer({ call: callerOf(child.url) }, target, 'a sure thing');
        await child.ended;
      }
      await cp(data, backup, { recursive: true });
      const left = await dispatchIn(data);
      expect(left).toMatchObject(leftAt(point));
      const wasSent = point > 31 ? 1 : 0;
      const isSentAgain = point < lastPoint ? 1 : 0;
      expect(provider.calls).toHaveLength(wasSent);
      for (const [restarts, folder] of [data, backup].entries()) {
        await recover(folder, left.execution_id);
        const attempts = left.attempts + isSentAgain;
        expect(await dispatchIn(folder)).toMatchObject({
          dispatch_id: left.dispatch_id,
          status: 'delivered',
          attempts,
        });
        const keys = provider.calls.map(({ headers }) => headers['idempotency-key']);
        expect(keys).toEqual(Array(wasSent + (restarts + 1) * isSentAgain).fill(left.dispatch_id));
      }
    } finally {
      await rm(data, { recursive: true, force: true });
      await rm(backup, { recursive: true, force: true });
    }
  });
});

async function dispatchIn(data: string): Promise<Dispatch> {
  const store = await openStore(data);
  try {
    const { items } = await store.executions.list('local', {}, { limit: 5, after: null });
    expect(items).toMatchObject([{ status: 'completed', verdict: 'failed' }]);
    const [dispatch, ...others] = await store.dispatches.ofExecution('local', items[0]?.execution_id ?? '');
    if (dispatch === undefined || others.length > 0) throw new Error('not one dispatch');
    return dispatch;
  } finally {
    await store.close();
  }
}

/** A process whose clock is a minute on, past the lease of a delivery, and goes on until all is delivered. */
async function recover(data: string, id: string): Promise<void> {
  await using host = await startScriptedHost({ data, later: 61_000, allowLoopback: true });
  const status = async () =>
    (await host.call('GET', `/v1/verification/executions/${id}`)).json.dispatches[0].status as string;
  for (let look = 0; look < 200 && (await status()) !== 'delivered'; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 4));
    await host.clock.advance(500);
  }
}

async function declaredDesk(data: string, url: string): Promise<Target> {
  const host = await startHost(checkConfig({ port: 0, data }), { log: { info() {}, warn() {}, error() {} } });
  const call = callerOf(host.url);
  const declare: TestHost['declare'] = (submissions) =>
    call('POST', '/v1/cards', { body: { submissions }, headers: { 'idempotency-key': uniqueKey() } });
  const { target } = await declareOperatorsDesk({ declare }, [
    { kind: 'http', method: 'post', url: `${url}/`, body: {} },
  ]);
  await host.close();
  return target;
}

async function killed(
  data: string,
  provider: Awaited<ReturnType<typeof startScriptedProvider>>,
): Promise<{ readonly id: string }> {
  await using child = await startFaultHost(data, 'never');
  const call = callerOf(child.url);
  const declare: TestHost['declare'] = (submissions) =>
    call('POST', '/v1/cards', { body: { submissions }, headers: { 'idempotency-key': uniqueKey() } });
  const spec = { kind: 'http', method: 'post', url: `${provider.url}/`, body: {} };
  const { target } = await declareOperatorsDesk({ declare }, [spec]);
  const id = await submitAnswer({ call }, target, 'a sure thing');
  await provider.hung();
  return { id };
}
