import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { conversationDesk } from '#test/support/conversation-desk.ts';
import { steadyCheck, windowSpec } from '#test/support/declare-window.ts';
import {
  type Answered,
  card,
  desk,
  makeHost,
  sibling,
  type TestHost,
  toneSpec,
  uidsOf,
} from '#test/support/embedded-host.ts';
import { settledState, submitAnswer } from '#test/support/operators-desk.ts';

/** Rules of docs/spec/background.md §3 that test/conformance/background/bindings.yaml has no case of. */
const bindingsPath = '/v1/verification/bindings';
const post = { kind: 'http', method: 'post', url: 'https://hooks.example.com/in' };
const tone = card('Verifier', 'tone', toneSpec);
const steady = card('Verifier', 'steady', windowSpec({ steady: steadyCheck }));
const toTone = (more: JsonObject = {}): JsonObject => ({ verifier: sibling('Verifier', 'tone'), ...more });
const toSteady = (more: JsonObject = {}): JsonObject => ({ verifier: sibling('Verifier', 'steady'), ...more });
const owner = (verified_by: readonly JsonObject[], version = '1.0.0') =>
  card('Service', 'desk', { verified_by }, { version });

async function declared(host: TestHost, cards: readonly unknown[], options = {}): Promise<Answered> {
  const answer = await host.declare(cards, options);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
}

async function bindingsOf(host: TestHost, uid: string | undefined, options = {}): Promise<JsonObject[]> {
  return (await host.call('GET', `${bindingsPath}?owner=${uid}`, options)).json.items;
}

describe('declared bindings (§3.1)', () => {
  it.each<[string, readonly JsonObject[], string, string]>([
    [
      'one Operator Card twice in a list',
      [
        tone,
        card('Operator', 'page', post),
        owner([toTone({ on_failure: [sibling('Operator', 'page'), sibling('Operator', 'page')] })]),
      ],
      'WYRD_SPEC_400_DUPLICATE_BINDING_OPERATOR',
      'verified_by[0].on_failure[1]',
    ],
    [
      'equal inline Operators, however they are written',
      [tone, owner([toTone({ on_failure: [post, Object.fromEntries(Object.entries(post).reverse())] })])],
      'WYRD_SPEC_400_DUPLICATE_BINDING_OPERATOR',
      'verified_by[0].on_failure[1]',
    ],
    [
      'an alias that is the name of the owner itself',
      [...desk().slice(0, 2), card('Service', 'desk', { components: [{ alias: '$owner', ref: agentRef() }] })],
      'WYRD_SPEC_400_VALIDATION',
      'components[0].alias',
    ],
    [
      'on_failure of a group',
      conversationDesk({ on_failure: [post] }),
      'WYRD_SPEC_400_TRIGGER_ACTIVATION_MISMATCH',
      'components[0].verified_by[1].on_failure',
    ],
    [
      'an invalid Operator',
      [tone, owner([toTone({ on_failure: [{ ...post, url: 'ftp://hooks.example.com/' }] })])],
      'WYRD_SPEC_400_INVALID_OPERATOR',
      'verified_by[0].on_failure[0]',
    ],
  ])('refuse %s', async (_name, cards, code, field) => {
    await using host = await makeHost();
    const { status, json, text } = await host.declare(cards);
    expect(status, text).toBe(400);
    expect(json).toMatchObject({ code, details: { field: expect.stringContaining(field) } });
    expect((await host.call('GET', '/v1/cards')).json.items).toEqual([]);
  });

  it('are refused inside an inline Agent', async () => {
    await using host = await makeHost();
    await declared(host, [tone]);
    const messages = [{ role: 'user', content: 'Judge {{answer}}' }];
    const prompt = { provider: 'openai', model: 'm', messages, response_format: 'verdict' };
    const judge = (more: JsonObject) => {
      const agent = { prompt, execution_route: { kind: 'native' }, ...more };
      const check = { kind: 'agent', agent, inputs: { answer: 'inputs.answer' } };
      const requirements = [{ id: 'kind', statement: 'The answer is kind', check }];
      return card('Verifier', 'judged', { inputs: { answer: { type: 'json' } }, requirements });
    };
    const bound = { verifier: { kind: 'Verifier', name: 'tone', version: '1.0.0' } };
    const { status, json, text } = await host.declare([judge({ verified_by: [bound] })]);
    // The code of a shape: docs/spec/verification.md, Agent.
    expect([status, json.code], text).toEqual([400, 'WYRD_REGISTRY_400_INVALID_CARD_SPEC']);
    expect(json.details.path).toMatch(/agent\/verified_by$/);
    await declared(host, [judge({})]);
  });

  it('may name one Operator in each of two bindings', async () => {
    await using host = await makeHost();
    const promise = card('Verifier', 'promise', toneSpec);
    const both = [toTone({ on_failure: [post] }), { verifier: sibling('Verifier', 'promise'), on_failure: [post] }];
    const answer = await declared(host, [tone, promise, owner(both)]);
    expect(await bindingsOf(host, uidsOf(answer).desk)).toHaveLength(2);
  });
});

describe('identity and freezing (§3.2, §3.3)', () => {
  it('another Operator is another content, whatever the order', async () => {
    await using host = await makeHost();
    await declared(host, [tone, steady, owner([toTone({ on_failure: [post] }), toSteady()])]);
    const other = toTone({ on_failure: [{ ...post, method: 'put' }] });
    const answer = await host.declare([tone, steady, owner([toSteady(), other])]);
    expect([answer.status, answer.json.code]).toEqual([409, 'WYRD_REGISTRY_409_SPEC_DRIFT']);
  });

  it('a later Trigger version moves no schedule', async () => {
    await using host = await makeHost();
    const trigger = (cron: string, version: string) =>
      card('Trigger', 'nightly', { kind: 'schedule', cron }, { version });
    const scheduled = toSteady({ runs_on: sibling('Trigger', 'nightly') });
    const answer = await declared(host, [steady, trigger('30 2 1 1 *', '1.0.0'), owner([scheduled])]);
    const before = await bindingsOf(host, uidsOf(answer).desk);
    expect(before).toMatchObject([{ next_run_at: expect.stringMatching(/-01-01T02:30:00\.000Z$/) }]);
    await declared(host, [trigger('45 5 2 2 *', '1.1.0')]);
    expect(await bindingsOf(host, uidsOf(answer).desk)).toEqual(before);
  });
});

describe('state (§3.6)', () => {
  it('the last execution is the one that was admitted last', async () => {
    await using host = await makeHost();
    const uids = uidsOf(await declared(host, desk()));
    const target = { verifier_card_uid: uids.tone ?? '', card_uid: uids['desk-agent'] ?? '' };
    const last = async () => (await bindingsOf(host, uids.desk))[0]?.last_execution_id;
    expect(await last()).toBeNull();
    for (const answer of ['one', 'two']) {
      const id = await submitAnswer(host, target, answer);
      expect(await last()).toBe(id);
    }
  });
});

describe('owners and their ends (§3.7)', () => {
  it('a newer version leaves the older one active, and the end of one is not the end of the other', async () => {
    await using host = await makeHost();
    const uids: string[] = [];
    for (const version of ['1.0.0', '1.1.0']) {
      uids.push(uidsOf(await declared(host, [tone, owner([toTone()], version)])).desk ?? '');
    }
    const token = await host.token(await host.key());
    const isActive = async () =>
      Promise.all(uids.map(async (uid) => (await bindingsOf(host, uid, { token }))[0]?.active));
    expect(await isActive()).toEqual([false, false]);
    const keys = await Promise.all(uids.map((card_uid) => host.key({ role: 'workload', card_uid })));
    await host.token(keys[1] ?? '');
    expect(await isActive()).toEqual([false, true]);
    await host.token(keys[0] ?? '');
    expect(await isActive()).toEqual([true, true]);
    await host.call('DELETE', `/v1/cards/by-uid/Service/${uids[1]}`, { token });
    expect((await isActive())[0]).toBe(true);
    expect((await bindingsOf(host, uids[1], { token }))[0]?.active ?? false).toBe(false);
  });

  it.each([
    ['Service', 'desk'],
    ['Verifier', 'tone'],
    ['Agent', 'desk-agent'],
  ])('a deleted %s admits nothing more, and what runs ends', async (kind, name) => {
    await using host = await makeHost();
    const uids = uidsOf(await declared(host, desk()));
    const target = { verifier_card_uid: uids.tone ?? '', card_uid: uids['desk-agent'] ?? '' };
    const id = await submitAnswer(host, target, 'a sure thing');
    await host.call('DELETE', `/v1/cards/by-uid/${kind}/${uids[name]}`);
    await expect(submitAnswer(host, target, 'another')).rejects.toThrow(/_TARGET/);
    const state = await settledState(host, id, () => true);
    expect(state.json).toMatchObject({ status: 'completed', result: { outcome: { verdict: 'failed' } } });
  });
});

function agentRef(): JsonObject {
  return sibling('Agent', 'desk-agent');
}
