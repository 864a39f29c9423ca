import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { createClient } from '#sdk/index.ts';
import { makeHost, type TestHost } from '#test/support/embedded-host.ts';

const verifier: JsonObject = {
  apiVersion: 'wyrd/v1',
  kind: 'Verifier',
  metadata: { name: 'calm-note', version: '1.0.0' },
  spec: {
    inputs: { note: { type: 'json' }, scan: { type: 'media', formats: ['markdown'], required: false } },
    steps: [{ id: 'read', action: { kind: 'extract', from: 'inputs.scan' } }],
    requirements: [
      {
        id: 'calm',
        statement: 's',
        check: { kind: 'assert', path: 'inputs.note', operator: 'not_contains', expected: '!' },
      },
    ],
  },
};
const service: JsonObject = {
  apiVersion: 'wyrd/v1',
  kind: 'Service',
  metadata: { name: 'note-desk', version: '1.0.0' },
  spec: { verified_by: [{ verifier: { sibling: { kind: 'Verifier', name: 'calm-note', version: '1.0.0' } } }] },
};

describe('a client of a started host', () => {
  let host: TestHost;
  const requests: string[] = [];
  const client = () =>
    createClient({
      url: host.url,
      fetch: (input, init) => {
        requests.push(`${init?.method} ${new URL(String(input)).pathname}`);
        return fetch(input, init);
      },
    });
  beforeAll(async () => {
    host = await makeHost();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  test('declares, reads, verifies and lists', async () => {
    const declared = await client().declare([verifier, service]);
    expect(declared.outcomes.map(({ outcome }) => outcome)).toEqual(['declared', 'declared']);
    const [bound] = await client().findBindings('calm-note');
    expect(bound).toMatchObject({
      verifier: { name: 'calm-note' },
      subject: { kind: 'Service', uid: declared.root.uid },
    });
    const execute = { verifier_card_uid: bound!.verifier.uid, card_uid: bound!.subject.uid };
    const result = await client().execute({ ...execute, inputs: { note: { kind: 'json', value: 'now!' } } });
    expect(result.outcome.verdict).toBe('failed');
    const state = await client().getExecution(result.execution_id);
    expect(state).toMatchObject({ status: 'completed', result: { outcome: { verdict: 'failed' } } });
    const listed = await client().listExecutions({ verdict: 'failed', verifier: 'calm-note@1.0.0' });
    expect(listed.items.map(({ execution_id }) => execution_id)).toEqual([result.execution_id]);
  });

  test('submits once a key, waits for the verdict, cancels nothing that is settled', async () => {
    const [bound] = await client().findBindings('calm-note');
    const request = { verifier_card_uid: bound!.verifier.uid, card_uid: bound!.subject.uid };
    const inputs = { note: { kind: 'json', value: 'calm' } } as const;
    const first = await client().enqueue({ ...request, inputs }, 'submission-0001');
    expect(await client().enqueue({ ...request, inputs }, 'submission-0001')).toEqual(first);
    const other = await client().enqueue({ ...request, inputs });
    expect(other.execution_id).not.toBe(first.execution_id);
    const state = await client().waitForExecution(first.execution_id);
    expect(state).toMatchObject({ status: 'completed', result: { outcome: { verdict: 'passed' } } });
    await expect(client().cancelExecution(first.execution_id)).rejects.toMatchObject({
      code: 'TOUCHSTONE_409_NOT_CANCELLABLE',
    });
  });

  test('looks after 100 ms, then twice as long up to 2 s, until its deadline', async () => {
    const pauses: number[] = [];
    let now = 0;
    const states = ['missing', 'pending', 'running', 'retrying'];
    const waiting = createClient({
      url: 'http://127.0.0.1:1',
      accessToken: 't',
      now: () => now,
      sleep: async (ms) => {
        now += ms;
        pauses.push(ms);
      },
      fetch: async () => {
        const status = states.shift() ?? 'running';
        const execution_id = '01a22fc9-e8ee-754d-91db-5a3fa7e751e8';
        if (status === 'missing') return Response.json({ code: 'X', detail: 'd' }, { status: 404 });
        return Response.json({ execution_id, status, dispatches: [] });
      },
    });
    const waited = waiting.waitForExecution('01a22fc9-e8ee-754d-91db-5a3fa7e751e8', { timeoutMs: 9_000 });
    await expect(waited).rejects.toMatchObject({ code: 'TOUCHSTONE_CLIENT_TIMEOUT', status: 0 });
    expect(pauses).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000]);
  });

  test('reads Cards by uid, by name and newest, lists and deletes them', async () => {
    const extra = { ...service, metadata: { name: 'spare-desk', version: '1.0.0' }, spec: {} };
    const { root } = await client().declare([extra]);
    const byUid = await client().getCard('Service', root.uid!);
    expect(await client().getCardByName({ kind: 'Service', name: 'spare-desk', version: '1.0.0' })).toEqual(byUid);
    expect(await client().getLatestCard({ kind: 'Service', name: 'spare-desk' })).toEqual(byUid);
    expect((await client().listCards({ kind: 'Service', name: 'spare-desk' })).items).toHaveLength(1);
    expect(await client().deleteCard('Service', root.uid!)).toEqual({ card_uid: root.uid, deleted: true });
    await expect(client().getLatestCard({ kind: 'Service', name: 'spare-desk' })).rejects.toMatchObject({
      code: 'WYRD_REGISTRY_404_CARD_NOT_FOUND',
      status: 404,
    });
  });

  test('sends a file once, however often it is evidence', async () => {
    const file = { bytes: new TextEncoder().encode('# calm\n'), format: 'markdown', filename: 'scan.md' } as const;
    requests.length = 0;
    const inputs = await client().uploadEvidence([file, file]);
    expect(inputs[0]).toEqual(inputs[1]);
    expect(requests.filter((request) => request.startsWith('PUT'))).toHaveLength(1);
    requests.length = 0;
    expect(await client().uploadEvidence([file])).toEqual([inputs[0]]);
    expect(requests.filter((request) => request.startsWith('PUT'))).toEqual([]);
    const [bound] = await client().findBindings('calm-note');
    const result = await client().execute({
      verifier_card_uid: bound!.verifier.uid,
      card_uid: bound!.subject.uid,
      inputs: { note: { kind: 'json', value: 'calm' }, scan: inputs[0]! },
    });
    expect(result.outcome.steps).toMatchObject([{ id: 'read', status: 'succeeded', output: { text: '# calm\n' } }]);
  });

  test('hands every finding of a refusal on', async () => {
    const bad = {
      ...verifier,
      metadata: { name: 'bad-note' },
      spec: { inputs: { note: { type: 'nosuch' } }, extra: 1 },
    };
    const error = await client()
      .declare([bad])
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      name: 'TouchstoneError',
      status: 400,
      findings: [{ rule: 'shape' }, { rule: 'shape' }],
    });
  });

  test('finds nothing for a Verifier that nobody binds, and says whether the host is well', async () => {
    expect(await client().findBindings('nobody-binds-this')).toEqual([]);
    expect(await client().findBindings('calm-note@9.9.9')).toEqual([]);
    expect(await client().health()).toMatchObject({ status: 'ok' });
  });
});
