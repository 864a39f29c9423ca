import { expect, it } from 'vitest';
import { desk, makeHost, uidsOf, uniqueKey } from '#test/support/embedded-host.ts';

it('smoke', async () => {
  await using host = await makeHost();
  const uids = uidsOf(await host.declare(desk()));
  const body = {
    verifier_card_uid: uids.tone,
    card_uid: uids['desk-agent'],
    inputs: { answer: { kind: 'json', value: 'fine' } },
  };
  const key = uniqueKey();
  const first = await host.call('POST', '/v1/verification/enqueue', { body, headers: { 'idempotency-key': key } });
  expect(first.status, first.text).toBe(202);
  for (let n = 0; n < 50; n++) {
    const state = await host.call('GET', `/v1/verification/executions/${first.json.execution_id}`);
    if (state.json.status === 'completed') {
      console.log(state.text);
      return;
    }
    await new Promise((r) => setTimeout(r, 50));
  }
  throw new Error('never');
});
