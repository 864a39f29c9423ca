import type { Json } from '#contract/json.ts';
import type { Operator } from '#contract/operators.ts';
import { isWithinTolerance, tolerance } from './numeric.ts';
import { type Measure, measuringOperator, number, numberOf, operator } from './operator.ts';
import { cosine, divergence, type Metric } from './vectors.ts';

function isWithinPercent(left: number, right: number, from: Operator): boolean {
  return right === 0 ? left === 0 : Math.abs(left - right) <= Math.abs(right) * numberOf(from, 'pct');
}

function isWithinDeviations(left: number, _: null, from: Operator): boolean {
  return Math.abs(left - numberOf(from, 'mean')) <= numberOf(from, 'sigma') * numberOf(from, 'std_dev');
}

function percentileProblem(from: Operator): string | null {
  const lower = numberOf(from, 'lower_pct');
  const upper = numberOf(from, 'upper_pct');
  return 0 <= lower && lower <= upper && upper <= 1 ? null : 'the percentiles are not 0 ≤ lower ≤ upper ≤ 1';
}

type Vectors = { readonly p: readonly number[]; readonly q: readonly number[] };

function vectorsOf(left: readonly Json[], right: readonly Json[]): Vectors | string {
  if (left.length !== right.length) return 'the vectors differ in length';
  if (!isVector(left) || !isVector(right)) return 'a member of a vector is no number';
  return { p: left, q: right };
}

function isVector(list: readonly Json[]): list is readonly number[] {
  return list.every((member) => typeof member === 'number');
}

function measureDivergence(left: readonly Json[], right: readonly Json[], from: Operator): Measure {
  const vectors = vectorsOf(left, right);
  if (typeof vectors === 'string') return { config: vectors };
  if (left.length === 0) return { config: 'the vectors are empty' };
  const actual = divergence(from.metric as Metric, vectors.p, vectors.q);
  return { actual, holds: actual < numberOf(from, 'threshold') };
}

function measureCosine(left: readonly Json[], right: readonly Json[], from: Operator): Measure {
  const vectors = vectorsOf(left, right);
  if (typeof vectors === 'string') return { config: vectors };
  const actual = cosine(vectors.p, vectors.q);
  return { actual, holds: actual >= numberOf(from, 'threshold') };
}

export const toleranceOperators = {
  within_abs_tolerance: operator(
    'number',
    'number',
    'The number is at most `tolerance` away from the expected one.',
    isWithinTolerance,
    tolerance,
  ),
  within_pct_tolerance: operator(
    'number',
    'number',
    'The number is at most the share `pct` of the expected one away from it; an expected zero takes only zero.',
    isWithinPercent,
    {
      parameters: { pct: number },
      warning: (from) => (numberOf(from, 'pct') < 0 ? 'a negative tolerance is never met' : null),
    },
  ),
  within_std_dev: operator(
    'number',
    'none',
    'The number is at most `sigma` times `std_dev` away from `mean`.',
    isWithinDeviations,
    {
      parameters: { sigma: number, mean: number, std_dev: number },
      records: 'parameters',
      config: (from) => (numberOf(from, 'std_dev') < 0 ? 'the standard deviation is negative' : null),
      configAfterType: true,
      warning: (from) => (numberOf(from, 'sigma') < 0 ? 'a negative tolerance is never met' : null),
    },
  ),
  between_percentiles: operator(
    'number',
    'none',
    'The number lies from `lower_pct` to `upper_pct`, compared directly.',
    (left, _, from) => numberOf(from, 'lower_pct') <= left && left <= numberOf(from, 'upper_pct'),
    { parameters: { lower_pct: number, upper_pct: number }, records: 'parameters', config: percentileProblem },
  ),
  divergence_less_than: measuringOperator(
    'list',
    'list',
    'The divergence of the two vectors by `metric` is strictly below `threshold`.',
    measureDivergence,
    {
      parameters: { metric: { type: 'word', words: ['kl', 'js', 'wasserstein'] }, threshold: number },
      records: 'parameters',
    },
  ),
  cosine_similarity_at_least: measuringOperator(
    'list',
    'list',
    'The cosine of the two vectors is `threshold` or more.',
    measureCosine,
    { parameters: { threshold: number }, records: 'parameters' },
  ),
} as const;
