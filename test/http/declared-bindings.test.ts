import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
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

const outcomes = (answered: { readonly json: { readonly outcomes: { readonly outcome: string }[] } }) =>
  answered.json.outcomes.map(({ outcome }) => outcome);

const bindingIds = async (host: TestHost, uid: string): Promise<string[]> =>
  (await host.call('GET', `/v1/cards/by-uid/Service/${uid}`)).json.card.status.verification.binding_ids;

describe('bindings of a declaration', () => {
  const verifiers = ['tone', 'promise'].map((name) => card('Verifier', name, toneSpec));
  const bound = (...entries: JsonObject[]) => card('Service', 'desk', { verified_by: entries });
  const to = (name: string, more: JsonObject = {}): JsonObject => ({ verifier: sibling('Verifier', name), ...more });

  it.each<[string, JsonObject[], string, string]>([
    [
      'another kind',
      [card('Policy', 'rule', {}), bound({ verifier: sibling('Policy', 'rule') })],
      'WYRD_SPEC_400_INVALID_VERIFIER_REF_KIND',
      'verified_by[0].verifier',
    ],
    [
      'one Verifier twice',
      [verifiers[0]!, bound(to('tone'), to('tone'))],
      'WYRD_SPEC_400_DUPLICATE_VERIFICATION_BINDING',
      'verified_by[1]',
    ],
    [
      'a schedule on request evidence',
      [verifiers[0]!, bound(to('tone', { runs_on: { kind: 'schedule', cron: '0 * * * *' } }))],
      'WYRD_SPEC_400_TRIGGER_ACTIVATION_MISMATCH',
      'verified_by[0].runs_on',
    ],
    [
      'an unknown key',
      [verifiers[0]!, bound(to('tone', { inputs: {} }))],
      'WYRD_REGISTRY_400_INVALID_CARD_SPEC',
      'verified_by[0].inputs',
    ],
    [
      'an Operator without its connection',
      [
        verifiers[0]!,
        bound(
          to('tone', {
            on_failure: [
              {
                kind: 'notify',
                channel: { kind: 'slack', connection: 'desk-slack', channel_id: 'C1', text: 'failed' },
              },
            ],
          }),
        ),
      ],
      'WYRD_SPEC_400_OPERATOR_CONNECTION_UNAVAILABLE',
      'verified_by[0].on_failure[0]',
    ],
  ])('refuses %s and stores nothing', async (_name, submissions, code, field) => {
    await using host = await makeHost();
    const answered = await host.declare(submissions);
    expect(answered.json).toMatchObject({ code, details: { field } });
    expect((await host.call('GET', '/v1/cards')).json.items).toEqual([]);
  });

  it('refuses a Verifier that nothing binds, before it asks for one root', async () => {
    await using host = await makeHost();
    const answered = await host.declare([...verifiers, bound(to('tone'))]);
    expect(answered.json.code).toBe('WYRD_SPEC_400_UNBOUND_VERIFIER_PEER');
  });

  it('makes new ids for a new owner version only', async () => {
    await using host = await makeHost();
    const first = await host.declare([...verifiers, bound(to('tone'), to('promise'))]);
    const ids = await bindingIds(host, uidsOf(first).desk!);
    expect(ids).toHaveLength(2);
    const next = { ...bound(to('tone'), to('promise')), metadata: { name: 'desk', version: '1.1.0' } };
    const second = await host.declare([...verifiers, next]);
    const nextIds = await bindingIds(host, uidsOf(second).desk!);
    expect(new Set([...ids, ...nextIds]).size).toBe(4);
  });

  it('freezes a group with the exact sources it will judge', async () => {
    await using host = await makeHost();
    const conversation = card('Verifier', 'conversation', {
      inputs: { answers: 'verifiers.tone.inputs.answer' },
      order_by: 'recorded_at',
      requirements: [
        { id: 'some', statement: 's', check: { kind: 'assert', each: 'inputs.answers[*]', operator: 'is_not_null' } },
      ],
    });
    const declared = await host.declare([
      verifiers[0]!,
      conversation,
      bound(to('tone'), to('conversation', { runs_on: { kind: 'group_end', after: '30m' } })),
    ]);
    const uids = uidsOf(declared);
    const [, group] = await bindingIds(host, uids.desk!);
    expect((await host.call('GET', `/v1/verification/bindings/${group}`)).json.group_end).toEqual({
      after: '30m',
      order_by: 'recorded_at',
      sources: {
        answers: {
          reference: 'verifiers.tone.inputs.answer',
          subject_occurrence_key: '$owner',
          card_uid: uids.desk,
          verifier_card_uid: uids.tone,
        },
      },
    });
  });
});

describe('idempotency keys of a declaration', () => {
  it('answers the same Cards again as idempotent_noop, and refuses another body', async () => {
    await using host = await makeHost();
    const headers = { 'idempotency-key': uniqueKey() };
    const first = await host.declare(desk(), { headers });
    const again = await host.declare(desk(), { headers });
    expect(again.status).toBe(200);
    expect(outcomes(again)).toEqual(Array(4).fill('idempotent_noop'));
    expect(uidsOf(again)).toEqual(uidsOf(first));
    const other = await host.declare([card('Policy', 'rule', {})], { headers });
    expect([other.status, other.json.code]).toEqual([409, 'WYRD_REGISTRY_409_IDEMPOTENCY_CONFLICT']);
  });

  it('leaves the key free after a refusal, and runs concurrent calls under one key once', async () => {
    await using host = await makeHost();
    const headers = { 'idempotency-key': uniqueKey() };
    expect((await host.declare([card('Gadget', 'rule', {})], { headers })).status).toBe(400);
    const answers = await Promise.all(Array.from({ length: 6 }, () => host.declare(desk(), { headers })));
    expect(answers.filter((answered) => answered.status === 201)).toHaveLength(1);
    expect(new Set(answers.map((answered) => uidsOf(answered).desk)).size).toBe(1);
  });

  it.each([
    ['', 'WYRD_REGISTRY_400_IDEMPOTENCY_KEY_REQUIRED'],
    ['short', 'WYRD_REGISTRY_400_IDEMPOTENCY_KEY_INVALID'],
    ['with white space', 'WYRD_REGISTRY_400_IDEMPOTENCY_KEY_INVALID'],
    ['k'.repeat(257), 'WYRD_REGISTRY_400_IDEMPOTENCY_KEY_INVALID'],
  ])('refuses the key %j', async (key, code) => {
    await using host = await makeHost();
    const answered = await host.declare(desk(), { headers: { 'idempotency-key': key } });
    expect([answered.status, answered.json.code]).toEqual([400, code]);
  });
});
