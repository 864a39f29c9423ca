import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { call, declareDesk, file, hasModels, json, settledState, untilStatus, upload } from './target.ts';
import { codeSpec, judged, tableSpec, toneSpec } from './verifiers.ts';

describe('enqueue', () => {
  it.each([
    ['assertions', toneSpec, { answer: json('a sure thing') }, 'failed'],
    ['code', codeSpec, { amount: json(4) }, 'passed'],
  ])('judges %s in the background as execute does', async (_name, spec, inputs, verdict) => {
    const desk = await declareDesk(spec);
    const accepted = await desk.enqueue(inputs);
    expect(accepted.status).toBe(202);
    const state = await settledState(accepted.json.execution_id);
    expect(state.json).toMatchObject({ status: 'completed', result: { outcome: { verdict } } });
    const direct = await desk.execute(inputs);
    expect(state.json.result.outcome.requirements).toEqual(direct.json.outcome.requirements);
  });

  it('extracts a large file in the background', async () => {
    const desk = await declareDesk(tableSpec);
    const bytes = Buffer.from(`item,price\n${'tea,3\n'.repeat(100_000)}`);
    await upload(bytes);
    const accepted = await desk.enqueue({ lines: file(bytes, 'csv') });
    expect(accepted.status).toBe(202);
    expect((await settledState(accepted.json.execution_id)).json.result.outcome.verdict).toBe('passed');
  });

  it.skipIf(!hasModels)('asks a model in the background', async () => {
    const { spec, cards } = judged();
    const desk = await declareDesk(spec, cards);
    const accepted = await desk.enqueue({ text: json('JUDGE-FAIL') });
    expect((await settledState(accepted.json.execution_id)).json.result.outcome.verdict).toBe('failed');
  });

  it('answers one id for one key, and refuses another body under it', async () => {
    const desk = await declareDesk(toneSpec);
    const key = `verification-submit-${v7()}`;
    const [first, again] = [
      await desk.enqueue({ answer: json('a') }, key),
      await desk.enqueue({ answer: json('a') }, key),
    ];
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.json.execution_id).toBe(first.json.execution_id);
    expect(await desk.enqueue({ answer: json('b') }, key)).toMatchObject({
      status: 409,
      json: { code: 'WYRD_REGISTRY_409_IDEMPOTENCY_CONFLICT' },
    });
    const state = await settledState(first.json.execution_id);
    expect(state.json.result.outcome.evidence.answer).toEqual(json('a'));
  });

  it('accepts ten calls of one key at the same time as one', async () => {
    const desk = await declareDesk(toneSpec);
    const key = `verification-submit-${v7()}`;
    const answers = await Promise.all(Array.from({ length: 10 }, () => desk.enqueue({ answer: json('a') }, key)));
    const ids = new Set(answers.filter(({ status }) => status === 202).map(({ json: body }) => body.execution_id));
    expect(ids.size).toBe(1);
    expect(answers.every(({ status }) => status === 202 || status === 409 || status === 429)).toBe(true);
  });

  it('refuses a call without a key, and one whose file is not stored', async () => {
    const desk = await declareDesk(tableSpec);
    const absent = file(Buffer.from(`absent ${Math.random()}`), 'csv');
    const unkeyed = await call('POST', '/v1/verification/enqueue', {
      body: { verifier_card_uid: desk.verifier, card_uid: desk.agent, inputs: { lines: absent } },
    });
    expect(unkeyed).toMatchObject({ status: 400, json: { code: 'WYRD_REGISTRY_400_IDEMPOTENCY_KEY_REQUIRED' } });
    expect(await desk.enqueue({ lines: absent })).toMatchObject({
      status: 400,
      json: { code: 'WYRD_VERIFICATION_400_INPUT_INVALID', details: { slot: 'lines' } },
    });
  });
});

describe('cancel', () => {
  it.skipIf(!hasModels)('ends what runs, for good', async () => {
    const { spec, cards } = judged();
    const desk = await declareDesk(spec, cards);
    const { json: accepted } = await desk.enqueue({ text: json('JUDGE-HANG') });
    await untilStatus(accepted.execution_id, 'running');
    const path = `/v1/verification/executions/${accepted.execution_id}/cancel`;
    expect(await call('POST', path, { body: null })).toMatchObject({ status: 200, json: { status: 'cancelled' } });
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const state = await settledState(accepted.execution_id);
    expect(state.json).toMatchObject({ status: 'cancelled', error: { code: 'WYRD_SPEC_409_CONFLICT' } });
    expect(state.json.result).toBeUndefined();
  });

  it('refuses what is settled', async () => {
    const desk = await declareDesk(toneSpec);
    const { json: accepted } = await desk.enqueue({ answer: json('a') });
    await settledState(accepted.execution_id);
    expect(
      await call('POST', `/v1/verification/executions/${accepted.execution_id}/cancel`, { body: null }),
    ).toMatchObject({ status: 409, json: { code: 'TOUCHSTONE_409_NOT_CANCELLABLE' } });
  });
});
