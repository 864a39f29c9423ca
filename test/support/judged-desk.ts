import type { JsonObject } from '#contract/json.ts';
import type { Perform, Performed } from '#service/drive/performing.ts';
import { callerOf, desk, type TestHost, uidsOf, uniqueKey } from './embedded-host.ts';

/** One json slot `answer`, one media slot `letter`, one requirement whose judge the test scripts. */
export const judgedSpec: JsonObject = {
  inputs: {
    answer: { type: 'json' },
    letter: { type: 'media', required: false, formats: ['md'] },
  },
  requirements: [
    {
      id: 'r',
      statement: 'The judge agrees',
      check: {
        kind: 'code',
        entrypoint: 'judge',
        source: { inline: 'def judge(answer):\n    return {}' },
        inputs: { answer: 'inputs.answer' },
      },
    },
  ],
};

export interface Target {
  readonly verifier_card_uid: string;
  readonly card_uid: string;
}

/** Declares the desk with that Verifier through the API. */
export async function declareJudgedDesk(call: TestHost['call'], spec: JsonObject = judgedSpec): Promise<Target> {
  const declared = await call('POST', '/v1/cards', {
    body: { submissions: desk({ version: '1.0.0' }, spec) },
    headers: { 'idempotency-key': uniqueKey() },
  });
  const uids = uidsOf(declared);
  return { verifier_card_uid: uids.tone ?? '', card_uid: uids['desk-agent'] ?? '' };
}

export function verdictOf(outcome: string, slot = 'answer'): Performed {
  const citations = [{ slot, locator: { json_pointer: '' } }];
  return { result: { kind: 'verdict', verdict: { outcome, reason: 'scripted', citations } } };
}

export const agrees: Perform = async () => verdictOf('passed');

export function submit(url: string, target: Target, answer: unknown, key = uniqueKey()) {
  return callerOf(url)('POST', '/v1/verification/enqueue', {
    body: { ...target, inputs: { answer: { kind: 'json', value: answer } } },
    headers: { 'idempotency-key': key },
  });
}
