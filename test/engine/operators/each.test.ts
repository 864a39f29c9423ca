import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#contract/json.ts';
import { type Comparison, judgeEach, judgePath, operators } from '#engine/operators/index.ts';

const subset: Comparison = { operator: { kind: 'is_subset' }, expected: [1, 2], normalize: 'none' };
const positive: Comparison = { operator: { kind: 'is_positive' }, expected: null, normalize: 'none' };
const options = { api: 'touchstone/v1', allow_empty: false, min_items: 0 } as const;

const items = (list: readonly Json[]) => ({ kind: 'items', items: list, list }) as const;

/** Microseconds of this thread's own processor time, whatever else the machine does. */
function workOf(act: () => unknown): number {
  const before = process.threadCpuUsage();
  act();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

describe('the work of many items', () => {
  const parameters: Readonly<Record<string, JsonObject>> = {
    matches_regex: { pattern: 'x{200}' },
    not_matches_regex: { pattern: 'x{200}' },
    divergence_less_than: { metric: 'js', threshold: 1 },
    length: { expected: 1 },
    is_type: { expected: 'null' },
  };
  const numbers = { min: 0, max: 1, tolerance: 1, pct: 1, sigma: 1, mean: 1, std_dev: 1, lower_pct: 0, upper_pct: 1 };
  const large: readonly Json[] = ['x'.repeat(250_000), Array.from({ length: 40_000 }, (_, position) => position)];
  const modes = (kind: keyof typeof operators): readonly Comparison['normalize'][] =>
    operators[kind].normalizes ? ['none', 'visible'] : ['none'];

  it.each(Object.keys(operators) as (keyof typeof operators)[])('%s works out a large expected once', (kind) => {
    const operator = { kind, ...numbers, threshold: 1, inclusive: true, ...parameters[kind] };
    for (const expected of large) {
      for (const normalize of modes(kind)) {
        for (const item of ['ab', [39_999], 5] as readonly Json[]) {
          const judge = (count: number) => {
            const list = Array.from({ length: count }, () => item);
            return workOf(() => judgeEach(items(list), { operator, expected, normalize }, options));
          };
          // Anew for each item it would be 4,000 times the work of one.
          const one = Math.min(...Array.from({ length: 5 }, () => judge(1)));
          expect(judge(4_000), `${normalize} ${typeof item}`).toBeLessThan(1_000 * one + 100_000);
        }
      }
    }
  });

  it.each(['matches_regex', 'not_matches_regex'] as const)('%s: the texts share one bound, in their order', (kind) => {
    const comparison: Comparison = {
      operator: { kind, pattern: '[ab]*a[ab]{4000}c' },
      expected: null,
      normalize: 'none',
    };
    const half = 'ab'.repeat(6_000);
    expect(judgeEach(items([half]), comparison, options).code).not.toBe('operator_config');
    expect(judgeEach(items([half, half, half]), comparison, options)).toMatchObject({
      outcome: 'inconclusive',
      code: 'operator_config',
    });
    expect(judgeEach(items([half, 7, half, half]), comparison, options).code).toBe('operator_mismatch');
    const empty = Array.from({ length: 300_000 }, () => '');
    expect(judgeEach(items(empty), comparison, options).code).toBe('operator_config');
  });
});

describe('judgeEach', () => {
  it('counts what failed and names no value', () => {
    expect(judgeEach(items([1, -1, -2]), positive, options)).toEqual({
      outcome: 'failed',
      code: 'items_failed',
      reason: '2 of 3 items: the comparison does not hold',
      actual: [1, -1, -2],
    });
  });

  it('says empty_selection, exactly', () => {
    expect(judgeEach(items([]), positive, options)).toEqual({
      outcome: 'inconclusive',
      code: 'empty_selection',
      reason: 'empty_selection',
    });
  });

  it.each([
    ['passes an empty selection where that is allowed', [], { ...options, allow_empty: true }, 'items_passed'],
    ['wants the least number of items first', ['x'], { ...options, min_items: 2 }, 'too_few_items'],
    ['and wants it of none', [], { ...options, min_items: 1 }, 'too_few_items'],
    ['lets a mismatch win over what failed before it', [-1, 'x'], options, 'operator_mismatch'],
    ['and over what fails after it', ['x', -1], options, 'operator_mismatch'],
    ['takes exactly enough items', [1, 2], { ...options, min_items: 2 }, 'items_passed'],
  ] as const)('%s', (_, list, given, code) => {
    expect(judgeEach(items(list), positive, given)).toMatchObject({ code });
  });

  it('does not let an empty item prove anything', () => {
    expect(judgeEach(items([[1], []]), subset, options)).toMatchObject({
      outcome: 'inconclusive',
      code: 'empty_value',
    });
    expect(judgeEach(items([[1], []]), subset, { ...options, api: 'wyrd/v1' })).toMatchObject({ outcome: 'passed' });
  });
});

describe('judgePath', () => {
  it.each([
    ['missing evidence is unknown', { found: false }, options, 'missing_value'],
    ['an empty list proves nothing', { found: true, value: [] }, options, 'empty_value'],
    ['unless that is allowed', { found: true, value: [] }, { ...options, allow_empty: true }, 'comparison_true'],
    ['and not in the contract', { found: true, value: [] }, { ...options, api: 'wyrd/v1' }, 'comparison_true'],
    ['what differs fails', { found: true, value: [3] }, options, 'comparison_false'],
  ] as const)('%s', (_, selection, given, code) => {
    expect(judgePath(selection, subset, given)).toMatchObject({ code });
  });
});
