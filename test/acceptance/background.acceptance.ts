import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { call, card, declare, json, settledState, sibling, unique } from './target.ts';
import { steadySpec, toneSpec } from './verifiers.ts';

/** Answers what `read` gives as soon as it is accepted. */
async function until<Value>(read: () => Promise<Value>, accept: (value: Value) => boolean, seconds: number) {
  for (const end = Date.now() + seconds * 1_000; ; ) {
    const value = await read();
    if (accept(value)) return value;
    if (Date.now() > end) throw new Error(`still ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function declared(cards: readonly JsonObject[]): Promise<(name: string) => string> {
  const answer = await declare(cards);
  expect(answer.status, answer.text).toBe(201);
  const outcomes: readonly { card_ref: { name: string; uid: string } }[] = answer.json.outcomes;
  return (name) => outcomes.find(({ card_ref }) => card_ref.name === name)?.card_ref.uid ?? '';
}

/** An Agent, whose Service binds these Verifiers to it. */
function deskOf(service: string, agent: string, verified_by: readonly JsonObject[]): readonly JsonObject[] {
  const prompt = unique('prompt');
  return [
    card('Prompt', prompt, { provider: 'openai', model: 'm', messages: [{ role: 'user', content: 'hello' }] }),
    card('Agent', agent, { prompt: sibling('Prompt', prompt), execution_route: { kind: 'native' } }),
    card('Service', service, { components: [{ alias: 'agent', ref: sibling('Agent', agent), verified_by }] }),
  ];
}

/** Lets what the owner declared run by itself, as its own key's exchange would. Answers the binding's path. */
async function activate(owner: string, verifier: string): Promise<string> {
  const { items } = (await call('GET', `/v1/verification/bindings?owner=${owner}&verifier=${verifier}`)).json;
  const path = `/v1/verification/bindings/${items[0].binding_id}`;
  const activated = await call('POST', `${path}/activate`);
  expect(activated.json, activated.text).toMatchObject({ active: true });
  return path;
}

describe.concurrent('background', () => {
  it('judges a conversation once it is quiet', { timeout: 200_000 }, async () => {
    const [service, agent, turn, talk] = ['desk', 'agent', 'turn', 'talk'].map(unique) as [
      string,
      string,
      string,
      string,
    ];
    const uid = await declared([
      card('Verifier', turn, toneSpec),
      card('Verifier', talk, {
        inputs: { marks: `verifiers.${turn}.requirements.no-promise.outcome` },
        requirements: [
          {
            id: 'no-promises',
            statement: 'No turn promised anything',
            check: { kind: 'assert', each: 'inputs.marks', operator: 'equals', expected: 'passed' },
          },
        ],
      }),
      ...deskOf(service, agent, [
        { verifier: sibling('Verifier', turn) },
        { verifier: sibling('Verifier', talk), runs_on: { kind: 'group_end', after: '2s' } },
      ]),
    ]);
    await activate(uid(service), uid(talk));
    const target = { verifier_card_uid: uid(turn), card_uid: uid(agent), group_id: 'talk-1' };
    for (const answer of ['well', 'a sure thing']) {
      const direct = await call('POST', '/v1/verification/execute', {
        body: { ...target, inputs: { answer: json(answer) } },
        headers: { 'x-wyrd-workload-uid': uid(service) },
      });
      expect(direct.status, direct.text).toBe(200);
    }
    const path = `/v1/verification/groups/${uid(service)}/talk-1`;
    const read = async () => {
      const group = await call('GET', path);
      expect(group.status, group.text).toBe(200);
      return group.json.bindings[0];
    };
    const judged = await until(read, ({ last_verdict }) => last_verdict !== null, 180);
    expect(judged).toMatchObject({ due_at: null, last_verdict: 'failed', sources: { marks: 2 } });
    const { json: state } = await settledState(judged.last_execution_id);
    expect(state.result.outcome.evidence.marks.value).toEqual(['passed', 'failed']);
  });

  it('runs a schedule at its minute, once its owner is active', { timeout: 300_000 }, async () => {
    const [service, agent, steady] = ['desk', 'agent', 'steady'].map(unique) as [string, string, string];
    const uid = await declared([
      card('Verifier', steady, steadySpec),
      ...deskOf(service, agent, [
        { verifier: sibling('Verifier', steady), runs_on: { kind: 'schedule', cron: '* * * * *' } },
      ]),
    ]);
    const path = await activate(uid(service), uid(steady));
    const read = async () => (await call('GET', `${path}/occurrences`)).json.items;
    const [occurrence] = await until(read, (items) => items[0]?.status === 'admitted', 270);
    const { json: state } = await settledState(occurrence.execution_id);
    expect(state).toMatchObject({ status: 'completed', result: { outcome: { verdict: 'inconclusive' } } });
  });

  it('tells an Operator of failed work, and keeps why it could not', { timeout: 120_000 }, async () => {
    const [service, agent, tone, operator, connection] = ['desk', 'agent', 'tone', 'tell', 'hooks'].map(unique) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const secret = `never-shown-${v7()}`;
    const auth = { scheme: 'bearer', token: secret };
    const connected = await call('POST', '/v1/operator-connections', {
      body: { provider: 'http', name: connection, origin: 'https://localhost:9', auth },
    });
    expect(connected.status, connected.text).toBe(201);
    const uid = await declared([
      card('Operator', operator, {
        kind: 'http',
        method: 'post',
        url: '/in',
        body: { text: '{{summary}}' },
        auth: { scheme: 'bearer', connection },
      }),
      card('Verifier', tone, toneSpec),
      ...deskOf(service, agent, [{ verifier: sibling('Verifier', tone), on_failure: [sibling('Operator', operator)] }]),
    ]);
    const accepted = await call('POST', '/v1/verification/enqueue', {
      body: { verifier_card_uid: uid(tone), card_uid: uid(agent), inputs: { answer: json('a sure thing') } },
      headers: { 'idempotency-key': `verification-submit-${v7()}` },
    });
    await settledState(accepted.json.execution_id);
    const read = () => call('GET', `/v1/verification/executions/${accepted.json.execution_id}`);
    // The name leads to the host itself, which is never called.
    const told = await until(read, ({ json: { dispatches } }) => dispatches[0]?.status === 'failed', 100);
    expect(told.json.dispatches).toMatchObject([
      { operator: { uid: uid(operator) }, error: { code: 'destination_rejected' } },
    ]);
    expect(told.text + connected.text).not.toContain(secret);
  });
});
