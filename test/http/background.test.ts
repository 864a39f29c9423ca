import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { conversationDesk } from '#test/support/conversation-desk.ts';
import { steadyCheck, windowSpec } from '#test/support/declare-window.ts';
import {
  card,
  desk,
  makeHost,
  sibling,
  type TestHost,
  toneSpec,
  uidsOf,
  uniqueKey,
} from '#test/support/embedded-host.ts';

async function until<Value>(read: () => Promise<Value>, accept: (value: Value) => boolean): Promise<Value> {
  for (let look = 0; ; look += 1) {
    const value = await read();
    if (accept(value)) return value;
    if (look === 200) throw new Error(`still ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function settled(host: TestHost, id: string) {
  const read = async () => (await host.call('GET', `/v1/verification/executions/${id}`)).json;
  return until(read, ({ status }) => status === 'completed' || status === 'errored');
}

function enqueue(host: TestHost, uids: Record<string, string>, verifier: string, inputs: JsonObject, more = {}) {
  return host.call('POST', '/v1/verification/enqueue', {
    body: { verifier_card_uid: uids[verifier], card_uid: uids['desk-agent'], inputs, ...more },
    headers: { 'idempotency-key': uniqueKey() },
  });
}

const json = (value: string) => ({ kind: 'json', value });

describe('a group', () => {
  it('is judged once it is quiet, from submitted and direct work, and can be read', { timeout: 20_000 }, async () => {
    await using host = await makeHost();
    const uids = uidsOf(await host.declare(conversationDesk()));
    const first = await enqueue(
      host,
      uids,
      'turn-check',
      { turn: json('hello') },
      { group_id: 'talk 1/ä'.replace(' ', '-') },
    );
    await settled(host, first.json.execution_id);
    const direct = await host.call('POST', '/v1/verification/execute', {
      body: {
        verifier_card_uid: uids['turn-check'],
        card_uid: uids['desk-agent'],
        group_id: 'talk-1/ä',
        inputs: { turn: json('shut up') },
      },
    });
    expect(direct.status).toBe(200);
    const group = `/v1/verification/groups/${uids.desk}/${encodeURIComponent('talk-1/ä')}`;
    const waiting = (await host.call('GET', group)).json.bindings[0];
    expect(waiting).toMatchObject({ sources: { turns: 2, marks: 2 }, last_verdict: null });
    expect(Date.parse(waiting.due_at)).toBeGreaterThan(Date.now() - 2_000);

    const list = async () => (await host.call('GET', '/v1/verification/executions?origin=group_end')).json.items;
    const [judgment] = await until(list, (items) => items[0]?.status === 'completed');
    const state = await settled(host, judgment.execution_id);
    expect(state.result.outcome).toMatchObject({
      verdict: 'failed',
      evidence: { turns: { kind: 'json', value: ['hello', 'shut up'] }, marks: { value: ['passed', 'failed'] } },
    });
    expect(state.group.sources.turns).toEqual({
      reference: 'verifiers.turn-check.inputs.turn',
      execution_ids: [first.json.execution_id, direct.json.execution_id],
    });
    expect((await host.call('GET', group)).json.bindings[0]).toMatchObject({
      due_at: null,
      last_execution_id: judgment.execution_id,
      last_verdict: 'failed',
    });
    const occurrences = `/v1/verification/bindings/${waiting.binding_id}/occurrences`;
    expect((await host.call('GET', occurrences)).json.items).toMatchObject([
      { status: 'admitted', execution_id: judgment.execution_id, group_id: 'talk-1/ä' },
    ]);
    const shown = (await host.call('GET', `/v1/records/${judgment.execution_id}`)).status;
    expect(shown).toBe(200);
  });

  it('that nobody knows is not found', async () => {
    await using host = await makeHost();
    const uids = uidsOf(await host.declare(conversationDesk()));
    for (const path of [`${uids.desk}/none`, 'x/none', `${uids['desk-agent']}/none`]) {
      expect((await host.call('GET', `/v1/verification/groups/${path}`)).status).toBe(404);
    }
  });
});

describe('bindings', () => {
  it('are listed by owner, subject and Verifier, with the next run of a schedule', async () => {
    await using host = await makeHost();
    const [prompt, agent] = desk();
    const bound = { verifier: sibling('Verifier', 'steady'), runs_on: { kind: 'schedule', cron: '0 0 1 1 *' } };
    const component = {
      alias: 'agent',
      ref: sibling('Agent', 'desk-agent'),
      verified_by: [{ verifier: sibling('Verifier', 'tone') }, bound],
    };
    const uids = uidsOf(
      await host.declare([
        prompt,
        agent,
        card('Verifier', 'tone', toneSpec),
        card('Verifier', 'steady', windowSpec({ steady: steadyCheck })),
        card('Service', 'desk', { components: [component] }),
      ]),
    );
    const list = async (query: string) => (await host.call('GET', `/v1/verification/bindings?${query}`)).json;
    expect((await list(`owner=${uids.desk}`)).items).toHaveLength(2);
    const { items, next_cursor } = await list('limit=1');
    const rest = await list(`limit=1&cursor=${encodeURIComponent(next_cursor)}`);
    expect(new Set([items[0].binding_id, rest.items[0].binding_id]).size).toBe(2);
    expect(rest.next_cursor).toBeNull();
    const [steady] = (await list(`verifier=${uids.steady}`)).items;
    expect(steady).toMatchObject({ active: true, next_run_at: expect.stringMatching(/-01-01T00:00:00\.000Z$/) });
    expect((await list(`subject=${uids.desk}`)).items).toEqual([]);
    expect((await host.call('GET', '/v1/verification/bindings?owner=x')).status).toBe(400);
  });

  it('are activated by a key exchange of their owner, or by an administrator', async () => {
    await using host = await makeHost();
    const uids = uidsOf(await host.declare(desk()));
    const token = await host.token(await host.key({ role: 'admin' }));
    const [{ binding_id }] = (await host.call('GET', '/v1/verification/bindings', { token })).json.items;
    const path = `/v1/verification/bindings/${binding_id}`;
    expect((await host.call('GET', path, { token })).json).toMatchObject({ active: false, last_activated_at: null });
    const editor = await host.token(await host.key({ role: 'editor' }));
    expect((await host.call('POST', `${path}/activate`, { token: editor })).status).toBe(403);
    const activated = await host.call('POST', `${path}/activate`, { token });
    expect(activated.json).toMatchObject({ active: true, owner_card_uid: uids.desk });
  });
});

describe('a replay', () => {
  it('judges what was pinned by another version, and says what changed', async () => {
    await using host = await makeHost();
    const uids = uidsOf(await host.declare(desk()));
    const { execution_id: id } = (await enqueue(host, uids, 'tone', { answer: json('a sure thing') })).json;
    expect((await settled(host, id)).result.outcome.verdict).toBe('failed');
    const [requirement] = toneSpec.requirements as JsonObject[];
    const milder = { ...toneSpec, requirements: [{ ...requirement, check: mildCheck }] };
    const other = uidsOf(await host.declare([card('Verifier', 'tone', milder, { version: '1.1.0' })]));
    const path = `/v1/verification/executions/${id}/replay`;
    const accepted = await host.call('POST', path, { body: { verifier_card_uid: other.tone ?? '', compare: true } });
    expect(accepted.status).toBe(202);
    const state = await settled(host, accepted.json.execution_id);
    expect(state).toMatchObject({
      replay_of: id,
      difference: [{ requirement: 'no-promise', before: 'failed', after: 'passed' }],
      dispatches: [],
    });
    const plain = await host.call('POST', path, { body: {} });
    expect(await settled(host, plain.json.execution_id)).not.toHaveProperty('difference');
  });

  it('refuses what was not judged, what was erased, and another Verifier', async () => {
    await using host = await makeHost({ limits: { background: 0 } });
    const uids = uidsOf(await host.declare([...desk(), card('Verifier', 'other', toneSpec)].slice(0, 4)));
    const other = uidsOf(await host.declare([card('Verifier', 'other', toneSpec)]));
    const waiting = (await enqueue(host, uids, 'tone', { answer: json('x') })).json.execution_id;
    const replay = (id: string, body: JsonObject = {}) =>
      host.call('POST', `/v1/verification/executions/${id}/replay`, { body });
    expect((await replay(waiting)).json.code).toBe('TOUCHSTONE_409_NOT_REPLAYABLE');
    const judged = await host.call('POST', '/v1/verification/execute', {
      body: { verifier_card_uid: uids.tone, card_uid: uids['desk-agent'], inputs: { answer: json('x') } },
    });
    const { execution_id: id } = judged.json;
    expect((await replay(id, { verifier_card_uid: other.other ?? '' })).json.code).toBe('WYRD_SPEC_400_VALIDATION');
    expect((await replay(id, { unknown: true })).status).toBe(400);
    await host.call('POST', `/v1/verification/executions/${id}/erase`);
    expect((await replay(id)).json).toMatchObject({ code: 'TOUCHSTONE_410_EVIDENCE_EXPIRED' });
    expect((await replay('01a22ffd-497f-75b9-b2e2-fb268eeb824c')).status).toBe(404);
  });
});

const mildCheck: JsonObject = { kind: 'assert', path: 'inputs.answer', operator: 'contains', expected: 'sure' };
