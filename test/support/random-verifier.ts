import fc from 'fast-check';
import type { Json, JsonObject } from '#contract/json.ts';
import type { SettlementResult } from '#engine/index.ts';

/** A Verifier of code steps and mixed requirements, the evidence it reads, and what every block answers, try by try. */
export interface RandomCase {
  readonly spec: JsonObject;
  readonly evidence: Json;
  /** Block id → answers, the last one repeating. */
  readonly answers: Readonly<Record<string, readonly SettlementResult[]>>;
}

const values = fc.constantFrom<Json>(true, false, null, 0, 1, 2, 'a', 'b', [], [1, 2], { x: 1 }, { x: 'a', go: true });

const stepAnswer: fc.Arbitrary<SettlementResult> = fc.oneof(
  { weight: 4, arbitrary: values.map((output) => ({ kind: 'output', output }) as const) },
  fc.constant({ kind: 'failure', code: 'code_exception', retryable: false } as const),
  fc.constant({ kind: 'failure', code: 'code_unavailable', retryable: true } as const),
);

const verdictAnswer: fc.Arbitrary<SettlementResult> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record({
        outcome: fc.constantFrom('passed', 'failed', 'inconclusive'),
        reason: fc.constantFrom('r', ''),
        citations: fc.array(
          fc.record({
            slot: fc.constantFrom('doc', 'other'),
            locator: fc.constantFrom<Json>({ json_pointer: '' }, { json_pointer: '/x' }, { page: 1 }),
          }),
          { maxLength: 2 },
        ),
      })
      .map((verdict) => ({ kind: 'verdict', verdict }) as const),
  },
  fc.constant({ kind: 'verdict', verdict: { outcome: 'fine' } } as const),
  fc.constant({ kind: 'failure', code: 'code_timeout', retryable: false } as const),
);

const source = { inline: 'def run(**kw):\n    return kw' };
const selectors = ['', '.x', '.go', '[0]'];
const operators = ['is_truthy', 'is_not_null', 'equals', 'greater_than', 'contains'];

interface StepShape {
  readonly reads: readonly number[];
  readonly follows: readonly number[];
  readonly selector: string;
  readonly when: number;
  readonly retries: number;
  readonly own: boolean;
}

const stepShape: fc.Arbitrary<StepShape> = fc.record({
  reads: fc.uniqueArray(fc.nat(5), { maxLength: 2 }),
  follows: fc.uniqueArray(fc.nat(5), { maxLength: 1 }),
  selector: fc.constantFrom(...selectors),
  when: fc.integer({ min: -3, max: 5 }),
  retries: fc.nat(2),
  own: fc.boolean(),
});

const requirementShape = fc.record({
  kind: fc.constantFrom('assert', 'each', 'code'),
  reads: fc.integer({ min: -1, max: 5 }),
  selector: fc.constantFrom(...selectors),
  operator: fc.constantFrom(...operators),
});

export const randomCase: fc.Arbitrary<RandomCase> = fc
  .record({
    steps: fc.array(stepShape, { maxLength: 6 }),
    requirements: fc.array(requirementShape, { maxLength: 5 }),
    evidence: values,
    threshold: fc.option(fc.constantFrom(0.25, 0.5, 1)),
    capture: fc.constantFrom('full', 'hash', 'redact'),
    stepAnswers: fc.array(fc.array(stepAnswer, { minLength: 1, maxLength: 3 }), { minLength: 6, maxLength: 6 }),
    verdicts: fc.array(verdictAnswer, { minLength: 11, maxLength: 11 }),
  })
  .map(({ steps, requirements, evidence, threshold, capture, stepAnswers, verdicts }) => {
    const shapes = steps.map((shape, position) => stepSpec(shape, position));
    const whole = requirements.map((shape, position) => ({
      id: `r${position}`,
      statement: `Requirement ${position}`,
      check: checkSpec(shape, steps.length),
    }));
    return {
      spec: {
        inputs: { doc: { type: 'json' }, other: { type: 'json', required: false } },
        steps: shapes,
        requirements: whole,
        context_capture: capture,
        ...(threshold !== null && { decide: { pass_rate: { threshold } } }),
      },
      evidence,
      answers: Object.fromEntries([
        ...steps.map((_, position) => [`s${position}`, stepAnswers[position] ?? []] as const),
        ...steps.map((_, position) => [`own${position}`, [verdicts[position] ?? { kind: 'busy' }]] as const),
        ...requirements.map((_, position) => [`r${position}`, [verdicts[6 + position] ?? { kind: 'busy' }]] as const),
      ] as readonly (readonly [string, readonly SettlementResult[]])[]),
    };
  });

/** Steps only read steps before them, so the graph has no cycle. */
function stepSpec({ reads, follows, selector, when, retries, own }: StepShape, position: number): JsonObject {
  const earlier = reads.filter((other) => other < position);
  const inputs = Object.fromEntries(earlier.map((other) => [`in${other}`, `steps.s${other}.output${selector}`]));
  return {
    id: `s${position}`,
    action: { kind: 'code', entrypoint: 'run', source, inputs: { doc: 'inputs.doc', ...inputs } },
    depends_on: follows.filter((other) => other < position).map((other) => `s${other}`),
    retries,
    ...(when >= 0 && when < position && { when: { path: `steps.s${when}.output`, operator: 'is_truthy' } }),
    ...(when === -1 && { when: { path: 'inputs.doc.go', operator: 'is_truthy' } }),
    ...(own && {
      requirements: [
        {
          id: `own${position}`,
          statement: 'own',
          check: { kind: 'code', entrypoint: 'run', source, inputs: { doc: 'inputs.doc' } },
        },
      ],
    }),
  };
}

function checkSpec(
  { kind, reads, selector, operator }: { kind: string; reads: number; selector: string; operator: string },
  steps: number,
): JsonObject {
  const reference = `${reads >= 0 && reads < steps ? `steps.s${reads}.output` : 'inputs.doc'}${selector}`;
  if (kind === 'code') return { kind, entrypoint: 'run', source, inputs: { value: reference, doc: 'inputs.doc' } };
  return { kind: 'assert', [kind === 'each' ? 'each' : 'path']: reference, operator, expected: 1 };
}
