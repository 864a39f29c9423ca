import { describe, expect, test } from 'vitest';
import type { Outcome, StepResult } from '#contract/result.ts';
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
});
