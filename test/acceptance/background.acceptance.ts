import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { activate, declared, deskOf, until } from './background.ts';
import { call, card, json, settledState, sibling, unique } from './target.ts';
import { toneSpec } from './verifiers.ts';

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
