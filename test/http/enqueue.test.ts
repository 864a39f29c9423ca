import { expect, it } from 'vitest';
import type { Perform } from '#service/drive/performing.ts';
import { desk, makeHost, type TestHost, toneSpec, uidsOf, uniqueKey } from '#test/support/embedded-host.ts';
import { agrees, declareJudgedDesk, submit, verdictOf } from '#test/support/judged-desk.ts';

async function settled(host: TestHost, id: string) {
  for (let look = 0; look < 400; look += 1) {
    const state = await host.call('GET', `/v1/verification/executions/${id}`);
    expect(state.status).toBe(200);
    if (['completed', 'errored', 'cancelled', 'timed_out'].includes(state.json.status)) return state.json;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('never settled');
}

it('judges in the background what execute judges at once', async () => {
  await using host = await makeHost();
  const uids = uidsOf(await host.declare(desk({ version: '1.0.0' }, toneSpec)));
  const target = { verifier_card_uid: uids.tone ?? '', card_uid: uids['desk-agent'] ?? '' };
  const enqueued = await submit(host.url, target, 'a sure thing');
  expect(enqueued.status).toBe(202);
  expect(Object.keys(enqueued.json)).toEqual(['execution_id']);
  const state = await settled(host, enqueued.json.execution_id);
  const direct = await host.call('POST', '/v1/verification/execute', {
    body: { ...target, inputs: { answer: { kind: 'json', value: 'a sure thing' } } },
  });
  expect(state).toMatchObject({ status: 'completed', attempts: 1, dispatches: [] });
  const { record: _direct, ...judged } = direct.json;
  const { record, ...result } = state.result;
  expect(result).toEqual({ ...judged, execution_id: enqueued.json.execution_id });
  expect(record).toEqual({ state: 'signed', digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(state.record).toEqual(record);
  const listed = await host.call('GET', '/v1/verification/executions?origin=enqueue');
  expect(listed.json.items).toMatchObject([{ status: 'completed', verdict: 'failed', origin: 'enqueue' }]);
});

it.each([
  ['no key', null, 'WYRD_REGISTRY_400_IDEMPOTENCY_KEY_REQUIRED'],
  ['a short key', 'k', 'WYRD_REGISTRY_400_IDEMPOTENCY_KEY_INVALID'],
])('refuses %s', async (_name, key, code) => {
  await using host = await makeHost({}, { perform: agrees });
  const target = await declareJudgedDesk(host.call);
  const refused = await host.call('POST', '/v1/verification/enqueue', {
    body: { ...target, inputs: {} },
    headers: key === null ? {} : { 'idempotency-key': key },
  });
  expect(refused.json.code).toBe(code);
  expect((await host.call('GET', '/v1/verification/executions')).json.items).toEqual([]);
});

it('cancels what runs: the judge is stopped, its late answer is dropped', async () => {
  const stopped = Promise.withResolvers<void>();
  const judging = Promise.withResolvers<void>();
  const perform: Perform = async (_ports, _input, _work, signal) => {
    judging.resolve();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    stopped.resolve();
    return verdictOf('failed');
  };
  await using host = await makeHost({}, { perform });
  const id = (await submit(host.url, await declareJudgedDesk(host.call), 'fine')).json.execution_id;
  await judging.promise;
  const cancel = () => host.call('POST', `/v1/verification/executions/${id}/cancel`);
  const cancelled = await cancel();
  expect(cancelled.status).toBe(200);
  expect(cancelled.json).toMatchObject({ status: 'cancelled', error: { code: 'WYRD_SPEC_409_CONFLICT' }, attempts: 1 });
  await stopped.promise;
  const again = await cancel();
  expect(again).toMatchObject({ status: 409, json: { code: 'TOUCHSTONE_409_NOT_CANCELLABLE' } });
  expect((await host.call('GET', `/v1/verification/executions/${id}`)).json).toEqual(cancelled.json);
});

it('answers 404 to the cancelling of an unknown execution', async () => {
  await using host = await makeHost();
  const path = '/v1/verification/executions/01a22fc9-e8ee-754d-91db-5a3fa7e751e8/cancel';
  expect((await host.call('POST', path)).json.code).toBe('WYRD_VERIFICATION_404_EXECUTION_NOT_FOUND');
});

it('keeps a key to the principal, and hides the execution from another tenant', async () => {
  await using host = await makeHost({}, { perform: agrees });
  const target = await declareJudgedDesk(host.call);
  const [mine, other, foreign] = [await host.key(), await host.key(), await host.key({ tenant: 'other' })];
  const key = uniqueKey();
  const enqueue = async (text: string) =>
    host.call('POST', '/v1/verification/enqueue', {
      token: await host.token(text),
      body: { ...target, inputs: { answer: { kind: 'json', value: 1 } } },
      headers: { 'idempotency-key': key },
    });
  const first = await enqueue(mine);
  const second = await enqueue(other);
  expect([first.status, second.status]).toEqual([202, 202]);
  expect(second.json.execution_id).not.toBe(first.json.execution_id);
  const token = await host.token(foreign);
  const path = `/v1/verification/executions/${first.json.execution_id}`;
  expect((await host.call('GET', path, { token })).status).toBe(404);
  expect((await host.call('POST', `${path}/cancel`, { token })).status).toBe(404);
});

it('gives back what runs when the host stops, and does not count it', async () => {
  const judging = Promise.withResolvers<void>();
  const perform: Perform = async (_ports, _input, _work, signal) => {
    judging.resolve();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    return verdictOf('passed');
  };
  const seen: unknown[] = [];
  {
    await using host = await makeHost(
      { limits: { stop_seconds: 0 } },
      {
        perform,
        openStore: async (data) => {
          const { openStore } = await import('#local/open-store.ts');
          const store = await openStore(data);
          const close = async () => {
            const { items } = await store.executions.list('local', {}, { limit: 1, after: null });
            seen.push(...items);
            await store.close();
          };
          return { ...store, close };
        },
      },
    );
    await submit(host.url, await declareJudgedDesk(host.call), 'fine');
    await judging.promise;
  }
  expect(seen).toMatchObject([{ status: 'retrying', attempts: 0 }]);
});
