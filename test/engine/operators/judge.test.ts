import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '#contract/json.ts';
import { type Operator, operatorNames } from '#contract/operators.ts';
import { type Api, decodeOperator, encodeOperator, judge, operators } from '#engine/operators/index.ts';
import { kindOf } from '#engine/values/kind.ts';

function judged(
  operator: Operator,
  left: Json,
  expected: Json = null,
  api: Api = 'wyrd/v1',
  normalize = 'none' as const,
) {
  return judge({ operator, expected, normalize }, left, api);
}

describe('the table', () => {
  it('describes every operator of the contract', () => {
    expect(Object.keys(operators).sort()).toEqual([...operatorNames].sort());
    for (const definition of Object.values(operators)) expect(definition.summary).toMatch(/^[A-Z].*\.$/);
  });
});

describe('what is recorded', () => {
  it.each<[Operator, Json, Json, object]>([
    [{ kind: 'equals' }, [1], [1], { result: 'true', actual: [1], expected: [1] }],
    [{ kind: 'is_zero' }, 0, 9, { result: 'true', actual: 0 }],
    [
      { kind: 'in_range', min: 1, max: 2, inclusive: true },
      2,
      null,
      { result: 'true', actual: 2, expected: { min: 1, max: 2, inclusive: true } },
    ],
    [{ kind: 'matches_regex', pattern: 'b' }, 'abc', null, { result: 'true', actual: 'abc', expected: 'b' }],
    [{ kind: 'length', expected: 2 }, 'a😀', null, { result: 'true', actual: 2, expected: 2 }],
    [{ kind: 'length_greater_than', min: 2 }, [1], null, { result: 'false', actual: 1, expected: { min: 2 } }],
    [{ kind: 'is_type', expected: 'bool' }, 1, null, { result: 'false', actual: 1, expected: 'bool' }],
    [
      { kind: 'cosine_similarity_at_least', threshold: 0.5 },
      [1, 0],
      [0, 1],
      { result: 'false', actual: 0, expected: { threshold: 0.5 } },
    ],
    [
      { kind: 'divergence_less_than', metric: 'kl', threshold: 1 },
      [-1, 2],
      [0.5, 0.5],
      { result: 'false', actual: null, expected: { metric: 'kl', threshold: 1 } },
    ],
  ])('%j of %j', (operator, left, expected, wanted) => {
    expect(judged(operator, left, expected)).toEqual(wanted);
  });
});

describe('what cannot be judged', () => {
  it.each<[Operator, Json, Json, string, string]>([
    [{ kind: 'contains' }, ['secret'], 'x', 'mismatch', 'contains is not defined on array and string'],
    [{ kind: 'is_email' }, 5, null, 'mismatch', 'is_email is not defined on number'],
    [
      { kind: 'in_range', min: 2, max: 1, inclusive: true },
      'x',
      null,
      'config',
      'in_range: the minimum is above the maximum',
    ],
    [
      { kind: 'within_std_dev', sigma: 1, mean: 0, std_dev: -1 },
      'x',
      null,
      'mismatch',
      'within_std_dev is not defined on string',
    ],
    [
      { kind: 'within_std_dev', sigma: 1, mean: 0, std_dev: -1 },
      1,
      null,
      'config',
      'within_std_dev: the standard deviation is negative',
    ],
    [
      { kind: 'divergence_less_than', metric: 'js', threshold: 1 },
      [1],
      'x',
      'mismatch',
      'divergence_less_than is not defined on array and string',
    ],
  ])('%j of %j and %j: %s', (operator, left, expected, result, reason) => {
    expect(judged(operator, left, expected)).toEqual({ result, reason });
  });
});

describe('touchstone/v1', () => {
  it.each(['is_subset', 'is_disjoint', 'none_of', 'unique_values'] as const)(
    '%s of an empty list proves nothing',
    (kind) => {
      expect(judged({ kind }, [], [1]).result).toBe('true');
      expect(judged({ kind }, [], [1], 'touchstone/v1').result).toBe('empty_value');
      expect(judged({ kind }, [2], [1], 'touchstone/v1').result).not.toBe('empty_value');
    },
  );

  it('does not turn an infinite result into a failure', () => {
    const operator: Operator = { kind: 'divergence_less_than', metric: 'kl', threshold: 0.1 };
    expect(judged(operator, [-1, 2], [0.5, 0.5], 'touchstone/v1').result).toBe('non_finite');
  });

  it.each<[Operator['kind'], Json, Json]>([
    ['contains', 'full pay\u200Bout', 'payout'],
    ['equals', 'ﬁne', 'fine'],
    ['in', 'a\u00a0 b', ['x', 'a b']],
    ['starts_with', '\u00adRef', 'Ref'],
  ])('%s sees what a reader sees', (kind, left, expected) => {
    expect(judged({ kind }, left, expected).result).toBe('false');
    const judgement = judge({ operator: { kind }, expected, normalize: 'visible' }, left, 'touchstone/v1');
    expect(judgement).toEqual({ result: 'true', actual: left, expected });
  });
});

const anyJson = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const anyList = fc.array(anyJson, { maxLength: 5 });

describe('laws', () => {
  const pairs = [
    ['equals', 'not_equals'],
    ['contains', 'not_contains'],
    ['in', 'not_in'],
    ['is_empty', 'is_non_empty'],
    ['is_truthy', 'is_falsy'],
    ['is_null', 'is_not_null'],
    ['is_disjoint', 'any_of'],
    ['none_of', 'any_of'],
  ] as const;

  it.each(pairs)('%s and %s are complements, or both cannot judge', (yes, no) => {
    fc.assert(
      fc.property(fc.oneof(anyJson, fc.string(), anyList), fc.oneof(anyJson, fc.string(), anyList), (left, right) => {
        const results = [judged({ kind: yes }, left, right).result, judged({ kind: no }, left, right).result].sort();
        expect([
          ['false', 'true'],
          ['mismatch', 'mismatch'],
        ]).toContainEqual(results);
      }),
    );
  });

  it('never throws, and mismatches only by kind', () => {
    const bare = operatorNames.filter((name) => Object.keys(operators[name].parameters).length === 0);
    fc.assert(
      fc.property(fc.constantFrom(...bare), anyJson, anyJson, (kind, left, right) => {
        const judgement = judged({ kind }, left, right);
        if ('reason' in judgement) expect(judgement.reason).toContain(kindOf(left));
      }),
    );
  });

  it('judges a list above the hashing limit as one below it', () => {
    const members = fc.array(
      fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom('1', '[1]', null, [1], { a: 1 })),
      {
        minLength: 40,
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(members as fc.Arbitrary<Json[]>, members as fc.Arbitrary<Json[]>, (left, right) => {
        const some = (a: Json, list: readonly Json[]) =>
          list.some((b) => judged({ kind: 'equals' }, a, b).result === 'true');
        const naive = { is_subset: left.every((a) => some(a, right)), is_superset: right.every((a) => some(a, left)) };
        expect(judged({ kind: 'is_subset' }, left, right).result).toBe(String(naive.is_subset));
        expect(judged({ kind: 'is_superset' }, left, right).result).toBe(String(naive.is_superset));
        expect(judged({ kind: 'any_of' }, left, right).result).toBe(String(left.some((a) => some(a, right))));
      }),
    );
  });
});

describe('decodeOperator', () => {
  it.each<Json>([
    'equals',
    { kind: 'has_min_length', min: 3 },
    { kind: 'in_range', min: 0, max: 1, inclusive: false },
    { kind: 'divergence_less_than', metric: 'js', threshold: 0.5 },
  ])('takes %j and gives it back', (wire) => {
    const decoded = decodeOperator(wire);
    expect(decoded.ok && encodeOperator(decoded.operator)).toEqual(wire);
  });

  it.each<Json>([
    'has_min_length',
    'is_array',
    'constructor',
    '__proto__',
    'Equals',
    null,
    ['equals'],
    { kind: 'equals' },
    { kind: 'toString' },
    { kind: 'has_min_length' },
    { kind: 'has_min_length', min: -1 },
    { kind: 'has_min_length', min: 1.5 },
    { kind: 'has_min_length', min: '3' },
    { kind: 'has_min_length', min: 3, max: 4 },
    { kind: 'in_range', min: 0, max: 1 },
    { kind: 'in_range', min: 0, max: 1, inclusive: 'yes' },
    { kind: 'divergence_less_than', metric: 'kls', threshold: 0.5 },
    { kind: 'is_type', expected: 'integer' },
    { min: 3 },
  ])('refuses %j', (wire) => {
    expect(decodeOperator(wire)).toMatchObject({ ok: false });
  });
});

describe('hostile sizes', () => {
  it('compares long lists and texts in linear time', () => {
    const numbers = Array.from({ length: 100_000 }, (_, index) => index);
    const text = 'a'.repeat(1_000_000);
    const started = performance.now();
    expect(judged({ kind: 'unique_values' }, numbers).result).toBe('true');
    expect(judged({ kind: 'is_subset' }, numbers, [...numbers]).result).toBe('true');
    expect(judged({ kind: 'contains' }, text, `b${'a'.repeat(100_000)}`).result).toBe('false');
    expect(judged({ kind: 'contains' }, `${text}b${'a'.repeat(100_000)}`, `b${'a'.repeat(100_000)}`).result).toBe(
      'true',
    );
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
