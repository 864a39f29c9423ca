import { expect } from 'vitest';
import type { Outcome } from '#contract/result.ts';
import type { Expectation, ExpectedRequirement, ExpectedStep } from './conformance-case.ts';

/** Compares an outcome with what a case names of it; what it does not name is not compared. */
export function expectOutcome(outcome: Outcome, expected: Expectation): void {
  if (expected.verdict !== undefined) expect(outcome.verdict).toBe(expected.verdict);
  for (const [id, requirement] of Object.entries(expected.requirements ?? {})) {
    const found = outcome.requirements.find((one) => one.id === id);
    expect(found, `requirement ${id}`).toBeDefined();
    if (found !== undefined) expect(shown(found, requirement)).toEqual(named(requirement, 'outcome'));
  }
  for (const [id, step] of Object.entries(expected.steps ?? {})) {
    const found = outcome.steps.find((one) => one.id === id);
    expect(found, `step ${id}`).toBeDefined();
    if (found !== undefined) expect(shown(found, step)).toEqual(named(step, 'status'));
  }
  if (expected.order !== undefined) expect(outcome.requirements.map(({ id }) => id)).toEqual(expected.order);
  if (expected.step_order !== undefined) expect(outcome.steps.map(({ id }) => id)).toEqual(expected.step_order);
  for (const text of expected.reason_lacks ?? []) {
    for (const { reason } of [...outcome.requirements, ...outcome.steps]) expect(reason ?? '').not.toContain(text);
  }
}

type Named = ExpectedRequirement & ExpectedStep;

function named(expected: string | Named, word: 'outcome' | 'status'): Named {
  return typeof expected === 'string' ? { [word]: expected } : expected;
}

/** The parts of a result that a case names, in the words of the case: `reason` is the code, `text` the reason. */
function shown(found: Outcome['requirements'][number] | Outcome['steps'][number], expected: string | Named): object {
  const word = 'statement' in found ? 'outcome' : 'status';
  return Object.fromEntries(
    Object.keys(named(expected, word)).map((key) => {
      if (key === 'reason') return [key, found.reason_code];
      if (key === 'text') return [key, found.reason];
      if (key === 'citations') return [key, ('citations' in found ? found.citations : undefined)?.length ?? 0];
      return [key, Reflect.get(found, key)];
    }),
  );
}
