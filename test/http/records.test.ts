import { describe, expect, it } from 'vitest';
import { checkRecord } from '#engine/record/check-record.ts';
import { openStore } from '#local/open-store.ts';
import { controlledClock } from '#test/support/controlled-clock.ts';
import { desk, makeHost, type TestHost, toneSpec, uidsOf } from '#test/support/embedded-host.ts';
import { failingSigner } from '#test/support/test-signer.ts';

async function judged(host: TestHost, value: unknown = 'a sure thing') {
  const uids = uidsOf(await host.declare(desk({ version: '1.0.0' }, toneSpec)));
  const answered = await host.call('POST', '/v1/verification/execute', {
    body: {
      verifier_card_uid: uids.tone,
      card_uid: uids['desk-agent'],
      inputs: { answer: { kind: 'json', value } },
    },
  });
  expect(answered.status).toBe(200);
  return { uids, result: answered.json, text: answered.text, id: answered.json.execution_id as string };
}

const kinds = { tone: 'Verifier', 'desk-agent': 'Agent', 'desk-prompt': 'Prompt' } as const;

const cardsOf = async (host: TestHost, uids: Readonly<Record<string, string>>) =>
  Promise.all(
    Object.entries(kinds).map(
      async ([name, kind]) => (await host.call('GET', `/v1/cards/by-uid/${kind}/${uids[name]}`)).text,
    ),
  );

describe('GET /v1/records/{execution_id}', () => {
  it('answers a record that holds with everything that the service gives', async () => {
    await using host = await makeHost();
    const { id, uids, result, text } = await judged(host);
    const answered = await host.call('GET', `/v1/records/${id}`);
    expect(answered.status).toBe(200);
    expect(Object.keys(answered.json)).toEqual(['record', 'keys']);
    const keys = (await host.call('GET', '/.well-known/touchstone/keys.json', { token: null })).json;
    expect(answered.json.keys).toEqual(keys);
    const closed = await host.call('POST', '/v1/checkpoints');
    expect(closed.json).toMatchObject({ size: 1 });
    const proven = await host.call('GET', `/v1/records/${id}`);
    const report = checkRecord({
      record: proven.text,
      keys,
      result: text,
      cards: await cardsOf(host, uids),
      evidence: [{ name: 'answer.json', bytes: Buffer.from('"a sure thing"') }],
    });
    expect(report.defects).toEqual([]);
    expect(report.result).toBe('valid');
    expect(new Set(Object.values(report.steps))).toEqual(new Set(['valid']));
    expect(result.record.state).toBe('signed');
    const state = await host.call('GET', `/v1/verification/executions/${id}`);
    expect(state.json.record).toEqual(result.record);
    expect(state.json.result).toEqual(result);
  });

  it.each(['01a22ffd-497f-75b9-b2e2-fb268eeb824c', 'x', '__proto__'])('answers 404 for %s', async (id) => {
    await using host = await makeHost();
    const answered = await host.call('GET', `/v1/records/${id}`);
    expect([answered.status, answered.json.error_code ?? answered.json.code]).toEqual([
      404,
      'TOUCHSTONE_404_RECORD_NOT_FOUND',
    ]);
  });

  it('shows nothing as signed while the key cannot be had, and signs it later', async () => {
    let isDown = true;
    const clock = controlledClock(Date.now());
    await using host = await makeHost(
      {},
      {
        clock,
        openStore: async (folder) => {
          const store = await openStore(folder);
          const signer = store.signer;
          return {
            ...store,
            signer: {
              sign: (...call) => (isDown ? failingSigner : signer).sign(...call),
              signAsRoot: (...call) => (isDown ? failingSigner : signer).signAsRoot(...call),
              rootKeys: () => signer.rootKeys(),
            },
          };
        },
      },
    );
    const { id, result } = await judged(host);
    expect(result.record).toEqual({ state: 'pending' });
    const state = async () => (await host.call('GET', `/v1/verification/executions/${id}`)).json;
    expect(await state()).toMatchObject({ status: 'completed', record: { state: 'pending' } });
    expect((await host.call('GET', `/v1/records/${id}`)).status).toBe(404);
    await clock.advance(20_000);
    expect((await state()).record).toEqual({ state: 'pending' });
    isDown = false;
    let signed = await state();
    for (let look = 0; look < 50 && signed.record.state === 'pending'; look += 1) {
      await clock.advance(5_000);
      await new Promise((resolve) => setTimeout(resolve, 10));
      signed = await state();
    }
    expect(signed.record).toEqual({ state: 'signed', digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(signed.result.record).toEqual(signed.record);
    const record = await host.call('GET', `/v1/records/${id}`);
    const { keys } = record.json;
    expect(checkRecord({ record: record.text, keys }).steps.signature).toBe('valid');
  });
});

describe('checkpoints', () => {
  it('are listed, read by size, and proven to be one log', async () => {
    const clock = controlledClock(Date.now());
    await using host = await makeHost({}, { clock });
    const first = await judged(host);
    const one = (await host.call('POST', '/v1/checkpoints')).json;
    await clock.advance(61_000);
    await judged(host, 'x');
    const two = (await host.call('POST', '/v1/checkpoints')).json;
    expect([one.size, two.size]).toEqual([1, 2]);
    expect((await host.call('POST', '/v1/checkpoints')).json).toEqual(two);
    const listed = (await host.call('GET', '/v1/checkpoints?limit=200')).json.items;
    expect(listed).toContainEqual(one);
    expect((await host.call('GET', '/v1/checkpoints/1')).json).toMatchObject({ size: 1 });
    const proof = await host.call('GET', '/v1/checkpoints/consistency?from=1&to=2');
    expect(proof.json.path).toHaveLength(1);
    const record = await host.call('GET', `/v1/records/${first.id}`);
    const report = checkRecord({ record: record.text, keys: record.json.keys, checkpoint: proof.text });
    expect([report.steps.inclusion, report.defects.filter(({ step }) => step === 'inclusion')]).toEqual(['valid', []]);
  });

  it.each([
    ['/v1/checkpoints/7', 404],
    ['/v1/checkpoints/-1', 404],
    ['/v1/checkpoints/1e3', 404],
    ['/v1/checkpoints/consistency?from=1', 400],
    ['/v1/checkpoints/consistency?from=2&to=1', 400],
    ['/v1/checkpoints/consistency?from=0&to=9', 404],
    ['/v1/checkpoints/consistency?from=1&to=x', 400],
  ])('refuse %s with %i', async (path, status) => {
    await using host = await makeHost();
    expect((await host.call('GET', path)).status).toBe(status);
  });
});

describe('erasure', () => {
  it('deletes what was judged and keeps the record, which stays checkable', async () => {
    await using host = await makeHost();
    const { id, uids } = await judged(host, 'the secret of a person');
    const erased = await host.call('POST', `/v1/verification/executions/${id}/erase`);
    expect(erased.status).toBe(200);
    expect(erased.json).toMatchObject({ status: 'completed', record: { state: 'signed' } });
    expect(erased.json.result).toBeUndefined();
    const record = await host.call('GET', `/v1/records/${id}`);
    const { keys } = record.json;
    const report = checkRecord({ record: record.text, keys, cards: await cardsOf(host, uids) });
    expect(report.steps.signature).toBe('valid');
    expect(report.defects.filter(({ severity }) => severity === 'invalid')).toEqual([]);
  });

  it('is refused under a legal hold, to other roles and for unknown ids', async () => {
    await using host = await makeHost({ legal_hold: true });
    const { id } = await judged(host);
    expect((await host.call('POST', `/v1/verification/executions/${id}/erase`)).status).toBe(409);
    const other = await host.call('POST', '/v1/verification/executions/01a22ffd-497f-75b9-b2e2-fb268eeb824c/erase');
    expect(other.status).toBe(404);
    const token = await host.token(await host.key({ role: 'editor' }));
    expect((await host.call('POST', `/v1/verification/executions/${id}/erase`, { token })).status).toBe(403);
  });
});
