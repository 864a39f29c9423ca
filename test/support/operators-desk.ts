import type { JsonObject } from '#contract/json.ts';
import { type Answered, card, desk, sibling, type TestHost, uidsOf, uniqueKey } from './embedded-host.ts';
import type { Target } from './judged-desk.ts';

/** The desk whose answers must hold no promise, with these Operators as Cards bound on failure. */
export async function declareOperatorsDesk(
  host: Pick<TestHost, 'declare'>,
  operators: readonly JsonObject[],
): Promise<{ readonly declared: Answered; readonly target: Target; readonly uids: Record<string, string> }> {
  const [prompt, agent, verifier] = desk();
  const cards = operators.map((spec, index) => card('Operator', `notify-${index}`, spec));
  const on_failure = operators.map((_spec, index) => sibling('Operator', `notify-${index}`));
  const verified_by = [{ verifier: sibling('Verifier', 'tone'), on_failure }];
  const component = { alias: 'agent', ref: sibling('Agent', 'desk-agent'), verified_by };
  const service = card('Service', 'desk', { components: [component] });
  const declared = await host.declare([prompt, agent, verifier, ...cards, service]);
  if (declared.status >= 400) return { declared, target: { verifier_card_uid: '', card_uid: '' }, uids: {} };
  const uids = uidsOf(declared);
  return { declared, uids, target: { verifier_card_uid: uids.tone ?? '', card_uid: uids['desk-agent'] ?? '' } };
}

export async function submitAnswer(host: Pick<TestHost, 'call'>, target: Target, answer: string): Promise<string> {
  const submitted = await host.call('POST', '/v1/verification/enqueue', {
    body: { ...target, inputs: { answer: { kind: 'json', value: answer } } },
    headers: { 'idempotency-key': uniqueKey() },
  });
  if (submitted.status !== 202) throw new Error(submitted.text);
  return submitted.json.execution_id as string;
}

/** The state once its dispatches have ended, or have been waited for long enough. */
export async function settledState(
  host: Pick<TestHost, 'call'>,
  executionId: string,
  until: (dispatches: readonly { readonly status: string }[]) => boolean,
): Promise<Answered> {
  for (let look = 0; ; look += 1) {
    const state = await host.call('GET', `/v1/verification/executions/${executionId}`);
    const isSettled = state.json.status === 'completed' && until(state.json.dispatches);
    if (isSettled || look > 200) return state;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
