import { describe, expect, it } from 'vitest';
import type { Json } from '#contract/json.ts';
import type { Operator } from '#contract/operators.ts';
import { acceptsNormalize, expectedProblem, isVacuous, parameterProblems } from '#engine/operators/index.ts';

describe('parameterProblems', () => {
  it.each<[Operator, number]>([
    [{ kind: 'in_range', min: 2, max: 1, inclusive: true }, 1],
    [{ kind: 'in_range', min: 1, max: 1, inclusive: true }, 0],
    [{ kind: 'within_std_dev', sigma: 1, mean: 0, std_dev: -1 }, 1],
    [{ kind: 'between_percentiles', lower_pct: 0.5, upper_pct: 1.5 }, 1],
    [{ kind: 'approximately_equals', tolerance: -1 }, 1],
    [{ kind: 'within_pct_tolerance', pct: 0 }, 0],
    [{ kind: 'equals' }, 0],
  ])('%j', (operator, count) => expect(parameterProblems(operator)).toHaveLength(count));
});

describe('expectedProblem', () => {
  it.each<[Operator['kind'], Json, boolean, string | null]>([
    ['equals', null, false, 'absent'],
    ['equals', null, true, null],
    ['greater_than', '5', true, 'kind'],
    ['in', [], true, null],
    ['in', 'abc', true, 'kind'],
    ['contains', 1, true, 'kind'],
    ['is_null', null, false, null],
    ['is_null', 5, true, null],
  ])('%s %j %s', (kind, expected, hasExpected, problem) => {
    expect(expectedProblem({ kind }, expected, hasExpected)).toBe(problem);
  });
});

describe('isVacuous', () => {
  it.each<[Operator['kind'], Json, boolean]>([
    ['all_of', [], true],
    ['any_of', [], true],
    ['is_subset', [], true],
    ['in', [], false],
    ['contains', '', true],
    ['contains_ignore_case', '', true],
    ['equals', '', false],
    ['all_of', [1], false],
  ])('%s %j', (kind, expected, vacuous) => expect(isVacuous({ kind }, expected)).toBe(vacuous));

  it('looks at what is left after normalising', () => {
    expect(isVacuous({ kind: 'contains' }, '\u200b')).toBe(false);
    expect(isVacuous({ kind: 'contains' }, '\u200b', 'visible')).toBe(true);
  });
});

describe('acceptsNormalize', () => {
  it('is the list of §17', () => {
    const names = [
      'contains',
      'not_contains',
      'contains_ignore_case',
      'starts_with',
      'ends_with',
      'equals',
      'not_equals',
    ];
    for (const name of [...names, 'in', 'not_in', 'matches_regex', 'not_matches_regex'] as Operator['kind'][]) {
      expect(acceptsNormalize(name)).toBe(true);
    }
    for (const name of ['is_subset', 'is_email', 'length'] as const) expect(acceptsNormalize(name)).toBe(false);
  });
});
