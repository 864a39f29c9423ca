import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DriftSpec } from '#contract/cards/drift.ts';
import { categoricalFit, countsIn, quantileFit } from '#engine/drift/fit.ts';
import { type FeatureValues, foldWindow } from '#engine/drift/fold-window.ts';
import { binOf, equalWidthEdges, mergeCounts, psiScore, quantileEdges } from '#engine/drift/psi.ts';
import { judgeDrift } from '#engine/drift/report.ts';
import type { BaselineFit, PsiFit } from '#engine/drift/statistics.ts';
import { compareBytes } from '#engine/values/canonical.ts';
import { numRuns } from '#test/support/num-runs.ts';

const number = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 });
const numbers = fc.array(number, { minLength: 1, maxLength: 60 });
const labels = fc.array(fc.constantFrom('a', 'b', '__proto__', 'constructor', '', 'é'), {
  minLength: 1,
  maxLength: 60,
});

const psi = (features: readonly string[], categorical: readonly string[] = []): DriftSpec => ({
  method: 'Psi',
  signal: {
    kind: 'Distribution',
    baseline_ref: { kind: 'Data', name: 'b', version: '1.0.0' },
    features: [...features],
  },
  profile: {
    kind: 'Psi',
    binning_strategy: { kind: 'EqualWidth', n_bins: 4 },
    categorical_features: [...categorical],
    threshold: { kind: 'Fixed', value: 0.25 },
  },
});

function countsOf(fit: PsiFit, rows: readonly (number | string)[]): readonly number[] {
  const fold = foldWindow(psi([fit.feature]), { method: 'Psi', features: [fit] });
  for (const value of rows) fold.add(new Map([[fit.feature, value]]));
  const [statistics] = fold.statistics().features;
  return statistics?.method === 'Psi' ? statistics.counts : [];
}

function numericFit(values: readonly number[]): PsiFit {
  return quantileFit('x', 5, Float64Array.from(values));
}

describe('bins', () => {
  it('every value is in exactly the bin whose bounds hold it', () => {
    fc.assert(
      fc.property(numbers, number, fc.integer({ min: 2, max: 40 }), (values, value, bins) => {
        const edges = quantileEdges(Float64Array.from(values).sort(), bins);
        const bin = binOf(edges, value);
        expect(value > (edges[bin - 1] ?? Number.NEGATIVE_INFINITY)).toBe(true);
        expect(value <= (edges[bin] ?? Number.POSITIVE_INFINITY)).toBe(true);
      }),
      { numRuns: numRuns(200) },
    );
  });

  it('a constant column is one bin, by either strategy', () => {
    fc.assert(
      fc.property(number, fc.integer({ min: 1, max: 30 }), (value, count) => {
        expect(equalWidthEdges(value, value, 10)).toEqual([]);
        expect(quantileEdges(new Float64Array(count).fill(value), 10).length).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('the population stability index', () => {
  it('is zero for the baseline itself, and never below zero', () => {
    fc.assert(
      fc.property(numbers, numbers, (baseline, window) => {
        const fit = numericFit(baseline);
        expect(psiScore(fit, countsOf(fit, baseline), baseline.length)).toBeCloseTo(0, 12);
        expect(psiScore(fit, countsOf(fit, window), window.length)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: numRuns(200) },
    );
  });

  it('counts of the parts of a window, merged in any order, are the counts of the window', () => {
    const fits = fc.oneof(
      fc.tuple(numbers.map(numericFit), fc.array(numbers, { minLength: 1, maxLength: 5 })),
      fc.tuple(
        labels.map((all) => categoricalFit('x', new Map(all.map((label) => [label, 1])), compareBytes)),
        fc.array(labels, { minLength: 1, maxLength: 5 }),
      ),
    );
    fc.assert(
      fc.property(fits, fc.integer(), ([fit, parts], seed) => {
        const counted = (parts as (number | string)[][]).map((part) => countsOf(fit, part));
        const shuffled = counted.sort((left, right) => (((left[0] ?? 0) * seed) % 7) - (((right[0] ?? 0) * seed) % 7));
        const merged = shuffled.reduce(
          mergeCounts,
          fit.proportions.map(() => 0),
        );
        expect(merged).toEqual(countsOf(fit, (parts as (number | string)[][]).flat()));
      }),
      { numRuns: numRuns(200) },
    );
  });

  it('shares of a baseline add up to one', () => {
    fc.assert(
      fc.property(numbers, fc.array(number, { maxLength: 6 }), (values, edges) => {
        const fitting = countsIn(
          'x',
          [...edges].sort((left, right) => left - right),
        );
        for (const value of values) fitting.push(value);
        expect(fitting.fit().proportions.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
      }),
    );
  });
});

describe('a window with a flaw', () => {
  const fit: BaselineFit = {
    method: 'Psi',
    features: [
      { feature: 'x', kind: 'numeric', edges: [0.5], proportions: [0.5, 0.5] },
      { feature: '__proto__', kind: 'categorical', labels: ['a'], proportions: [1, 0] },
    ],
  };
  const spec = psi(['x', '__proto__'], ['__proto__']);
  const whole: FeatureValues = new Map<string, number | string>([
    ['x', 1],
    ['__proto__', 'a'],
  ]);
  const judge = (odd: FeatureValues) => {
    const fold = foldWindow(spec, fit);
    for (let row = 0; row < 200; row += 1) fold.add(row === 150 ? odd : whole);
    return judgeDrift(spec, fit, fold.statistics());
  };

  it.each<[string, FeatureValues, 'report' | 'none']>([
    ['no feature', new Map(), 'report'],
    ['one feature missing', new Map([['x', 1]]), 'report'],
    [
      'a null',
      new Map<string, number | string | null>([
        ['x', null],
        ['__proto__', 'a'],
      ]),
      'report',
    ],
    [
      'NaN',
      new Map<string, number | string>([
        ['x', Number.NaN],
        ['__proto__', 'a'],
      ]),
      'report',
    ],
    [
      'infinity',
      new Map<string, number | string>([
        ['x', Number.NEGATIVE_INFINITY],
        ['__proto__', 'a'],
      ]),
      'report',
    ],
    [
      'a text for a number',
      new Map([
        ['x', '1'],
        ['__proto__', 'a'],
      ]),
      'none',
    ],
    [
      'a number for a text',
      new Map<string, number | string>([
        ['x', 1],
        ['__proto__', 1],
      ]),
      'none',
    ],
  ])('%s scores nothing', (_name, odd, shown) => {
    const { outcome, report } = judge(odd);
    expect(outcome).toBe('inconclusive');
    expect(report).toEqual(shown === 'report' ? { method: 'Psi', features: {}, verdict: 'Inconclusive' } : null);
  });

  it('features may be called anything', () => {
    const { outcome, report } = judge(whole);
    expect(outcome).toBe('failed');
    expect(JSON.stringify(report)).toContain('"__proto__":{"feature":"__proto__"');
  });
});
