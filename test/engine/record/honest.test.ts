import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import type { VerificationResult } from '#contract/result.ts';
import type { Run } from '#engine/index.ts';
import { attestedWork } from '#engine/record/attested.ts';
import { cardDigest } from '#engine/record/card.ts';
import { checkRecord, type RecordCheck, type RepeatedWork, workToRepeat } from '#engine/record/check-record.ts';
import { statementOf } from '#engine/record/statement.ts';
import { type JudgedExecution, judgeLetter } from '#test/support/judged-letter.ts';
import { numRuns } from '#test/support/num-runs.ts';
import { type RandomCase, randomCase } from '#test/support/random-verifier.ts';
import { makeKey, published, signJson } from '#test/support/record-signing.ts';
import { repeatCode } from '#test/support/repeat-code.ts';
import { settleInOrder } from '#test/support/settle-in-order.ts';
import { tamper } from '#test/support/tampered-record.ts';

const key = makeKey('ed25519');
const keys = { keys: [published(key, { valid_from: '2026-01-01T00:00:00Z' })] };
const uid = '01a20000-0000-7000-8000-000000000001';
const interpreter = 'test build';

/** An execution of a random Verifier as a host would have recorded it, and what its code gives when it runs again. */
function recorded(one: RandomCase): RecordCheck & { readonly repeated: ReadonlyMap<string, RepeatedWork> } {
  let last: Run | undefined;
  const repeated = new Map<string, RepeatedWork>();
  const outcome = settleInOrder(
    one,
    ([work]) => {
      const answers = work !== undefined && 'block' in work ? (one.answers[work.block] ?? []) : [];
      const result = answers[Math.min(work?.attempt ?? 1, answers.length) - 1];
      if (work !== undefined && result !== undefined) repeated.set(work.id, { result, interpreter });
      return work;
    },
    (run) => {
      last = run;
      return run;
    },
  );
  if (last === undefined) throw new Error('nothing ran');
  const card: JsonObject = {
    apiVersion: 'wyrd/v1',
    kind: 'Verifier',
    metadata: { name: 'random', version: '1.0.0', uid },
    spec: one.spec,
  };
  const subject: JsonObject = {
    apiVersion: 'wyrd/v1',
    kind: 'Agent',
    metadata: { name: 'subject', version: '1.0.0', uid: uid.replace(/1$/, '2') },
    spec: {},
  };
  const result: VerificationResult = {
    execution_id: uid.replace(/1$/, '3'),
    verifier: { kind: 'Verifier', name: 'random', version: '1.0.0', uid },
    subject: { kind: 'Agent', name: 'subject', version: '1.0.0', uid: uid.replace(/1$/, '2') },
    outcome,
    engine: { name: 'touchstone', version: '0.1.0' },
  };
  const statement = statementOf({
    tenant: 'local',
    started_at: '2026-05-04T08:00:00Z',
    ended_at: '2026-05-04T08:00:01Z',
    result,
    inputs: { doc: { kind: 'json', value: one.evidence } },
    work: attestedWork(last),
    verifier_sha256: cardDigest(card) ?? '',
    subject_sha256: cardDigest(subject) ?? '',
  });
  return {
    record: JSON.stringify({ envelope: signJson('statement', statement as JsonObject, key) }),
    keys,
    result: JSON.stringify(result),
    cards: [JSON.stringify(card), JSON.stringify(subject)],
    evidence: [{ name: 'whatever', bytes: new TextEncoder().encode(JSON.stringify(one.evidence)) }],
    repeated,
  };
}

describe('an honest record', () => {
  test('of any Verifier is never invalid, and valid when nothing is hidden', () => {
    fc.assert(
      fc.property(randomCase, (one) => {
        const report = checkRecord(recorded(one));
        expect(report.defects.filter(({ severity }) => severity === 'invalid')).toEqual([]);
        if (one.spec.context_capture === 'full')
          expect(report.defects.filter(({ code }) => code !== 'code_not_repeated')).toEqual([]);
      }),
      { numRuns: numRuns(300) },
    );
  });

  test('whose counted outcome is turned round and signed again is invalid', () => {
    fc.assert(
      fc.property(randomCase, (one) => {
        const input = recorded(one);
        const result = JSON.parse(input.result ?? '');
        const turned = result.outcome.requirements.find(
          ({ check, reason_code }: JsonObject) =>
            (check as JsonObject).kind === 'assert' && reason_code === 'comparison_false',
        );
        fc.pre(turned !== undefined && one.spec.context_capture === 'full');
        turned.outcome = 'passed';
        turned.reason_code = 'comparison_true';
        const statement = JSON.parse(Buffer.from(JSON.parse(input.record).envelope.payload, 'base64').toString('utf8'));
        const again = statementOf({
          ...statement.predicate,
          result,
          inputs: { doc: { kind: 'json', value: one.evidence } },
          work: { ...statement.predicate, traces: [] },
          verifier_sha256: statement.predicate.verifier.digest.sha256,
          subject_sha256: statement.predicate.subject.digest.sha256,
        });
        const record = JSON.stringify({ envelope: signJson('statement', again as JsonObject, key) });
        const report = checkRecord({ ...input, record, result: JSON.stringify(result) });
        expect(report.result).toBe('invalid');
        expect(report.defects.map(({ code }) => code)).toContain('outcome_differs');
      }),
      { numRuns: numRuns(60) },
    );
  });
});

describe('what is held decides what can be told', () => {
  const judged = new Map<string, JudgedExecution>();
  beforeAll(async () => {
    for (const capture of ['full', 'hash', 'redact']) judged.set(capture, await judgeLetter({ capture }));
  });
  const inputOf = (capture: string): RecordCheck => tamper(judged.get(capture) as JudgedExecution, []);

  test.each(['full', 'hash', 'redact'])('with everything and work performed again: valid under %s', async (capture) => {
    const input = inputOf(capture);
    const repeated = await repeatCode(input);
    const report = checkRecord({ ...input, repeated });
    expect(report).toMatchObject({ result: 'valid', defects: [] });
    expect(workToRepeat({ ...input, repeated })).toEqual([]);
  });

  test.each(['full', 'hash', 'redact'])('without performing work again: undecidable for it under %s', (capture) => {
    const report = checkRecord(inputOf(capture));
    expect(report.result).toBe('undecidable');
    expect(report.defects).toContainEqual({
      code: 'code_not_repeated',
      severity: 'undecidable',
      step: 'replay',
      at: 'step/total',
    });
  });

  test('only the record: what was not given is not checked', () => {
    const { record, keys: known } = inputOf('full');
    expect(checkRecord({ record, keys: known })).toEqual({
      result: 'valid',
      steps: {
        form: 'valid',
        signature: 'valid',
        digests: 'not_checked',
        logic: 'valid',
        replay: 'not_checked',
        inclusion: 'not_checked',
      },
      defects: [],
    });
  });

  test('no keys: undecidable', () => {
    const { record } = inputOf('full');
    expect(checkRecord({ record })).toMatchObject({
      result: 'undecidable',
      defects: [{ code: 'keys_not_given', severity: 'undecidable', step: 'signature', at: 'keys' }],
    });
  });

  test('keys inside the record are nobody’s', () => {
    const { record } = inputOf('full');
    const answer = JSON.stringify({ record: JSON.parse(record), keys });
    expect(checkRecord({ record: answer }).result).toBe('undecidable');
  });

  test('the execution state stands for its result', () => {
    const input = inputOf('full');
    const state = JSON.stringify({ execution_id: 'x', status: 'completed', result: JSON.parse(input.result ?? '') });
    const { record, keys: known } = input;
    expect(checkRecord({ record, keys: known, result: state })).toMatchObject({
      result: 'valid',
      steps: { digests: 'valid' },
    });
  });

  test('another interpreter cannot contradict', async () => {
    const input = inputOf('full');
    const repeated = new Map([
      ['check:bookable', { result: { kind: 'verdict', verdict: {} }, interpreter: 'other' } as const],
    ]);
    expect(checkRecord({ ...input, repeated }).defects.map(({ code }) => code)).toContain('interpreter_differs');
  });

  test('code that answers otherwise in the recorded interpreter does', async () => {
    const input = inputOf('full');
    const repeated = new Map(await repeatCode(input));
    const { interpreter: build = '' } = repeated.get('check:bookable') ?? {};
    const verdict = { outcome: 'failed', reason: 'no', citations: [] };
    repeated.set('check:bookable', { result: { kind: 'verdict', verdict }, interpreter: build });
    repeated.set('step:total', { result: { kind: 'output', output: { sum: 1 } }, interpreter: build });
    const { result, defects } = checkRecord({ ...input, repeated });
    expect(result).toBe('invalid');
    expect(defects.map(({ at }) => at)).toEqual(
      expect.arrayContaining(['requirement/bookable/outcome', 'step/total/output']),
    );
  });

  test('a replay that is cut says so', () => {
    const report = checkRecord({ ...inputOf('full'), isCut: () => true });
    expect(report.defects).toContainEqual({
      code: 'replay_cut',
      severity: 'undecidable',
      step: 'replay',
      at: 'replay',
    });
  });
});
