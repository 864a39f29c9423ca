import { describe, expect, test } from 'vitest';
import type { Json } from '#contract/json.ts';
import type { Outcome, RequirementResult, StepResult } from '#contract/result.ts';
import { digestOf } from '#engine/run/capture.ts';
import { fitOutcome } from '#engine/run/fit-outcome.ts';

const megabyte = 1024 * 1024;
const step = (id: string, size: number): StepResult => ({
  id,
  status: 'succeeded',
  attempts: 1,
  duration_ms: 0,
  output: 'x'.repeat(size),
});
const requirement = (id: string, actual: Json): RequirementResult => ({
  id,
  statement: 's',
  outcome: 'passed',
  reason: 'r',
  reason_code: 'comparison_true',
  actual,
  check: {},
});
const outcome = (steps: readonly StepResult[]): Outcome => ({
  verdict: 'passed',
  requirements: [],
  steps,
  evidence: {},
});

describe('an outcome', () => {
  test('below 16 MiB is left as it is', () => {
    const small = outcome([step('a', 100)]);
    expect(fitOutcome(small, { traces: [] })).toBe(small);
  });

  test('above 16 MiB loses its largest outputs first, marked by their digest', () => {
    const large = outcome([step('a', 4 * megabyte), step('b', 7 * megabyte), step('c', 6 * megabyte)]);
    const fitted = fitOutcome(large, { traces: [] });
    expect(fitted.steps[1]?.output).toEqual({ sha256: digestOf('x'.repeat(7 * megabyte)), truncated: true });
    expect(fitted.steps[0]?.output).toBe(large.steps[0]?.output);
    expect(Buffer.byteLength(JSON.stringify(fitted))).toBeLessThanOrEqual(16 * megabyte);
  });

  // As text the whole document would be longer than a string of the runtime may be.
  test.each([
    ['text', 'x'.repeat(16 * megabyte)],
    ['list', Array.from({ length: megabyte / 2 }, () => 1234567)],
    ['object', { text: 'x'.repeat(15 * megabyte) }],
  ])('fits although 500 requirements show the same %s of some megabytes', (_, actual) => {
    const requirements = Array.from({ length: 500 }, (__, position) => requirement(`r${position}`, actual));
    const fitted = fitOutcome({ ...outcome([]), requirements }, { traces: [] });
    const mark = { sha256: digestOf(actual), truncated: true };
    expect(fitted.requirements[0]?.actual).toEqual(mark);
    expect(Buffer.byteLength(JSON.stringify(fitted))).toBeLessThanOrEqual(16 * megabyte);
  });

  test.each([0, 1])('is measured to the byte: %i above the limit', (surplus) => {
    const empty = outcome([step('a', 2000), step('b', 0)]);
    const free = 16 * megabyte - Buffer.byteLength(JSON.stringify(empty));
    const full = outcome([step('a', 2000), step('b', free + surplus)]);
    expect(fitOutcome(full, { traces: [] }) === full).toBe(surplus === 0);
  });
});
