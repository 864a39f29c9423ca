import { describe, expect, test } from 'vitest';
import { parseReference } from '#engine/references/parse.ts';
import { type ConformanceCase, verificationCases } from '#test/support/conformance-case.ts';
import { type CaseRun, runInEngine } from '#test/support/engine-case.ts';
import { expectOutcome } from '#test/support/expect-outcome.ts';
import { expectPrompts } from '#test/support/expect-prompts.ts';
import { sharedSandbox } from '#test/support/shared-sandbox.ts';

/** Bare declarations are test/engine/declare's, declared files and calls are test/http's. */
const cases = verificationCases().filter(({ given }) => given.evidence ?? given.assert ?? given.reference);

describe('conformance through the engine', () => {
  test('the cases are there', () => {
    expect(verificationCases().length).toBeGreaterThanOrEqual(796);
  });

  for (const one of cases) {
    test.concurrent(`${one.id}: ${one.title}`, async () => {
      if (one.given.reference === undefined) expectCase(one, await runInEngine(withEvidence(one), sharedSandbox()));
      else expectReference(one);
    });
  }
});

function withEvidence(one: ConformanceCase): ConformanceCase {
  const { assert } = one.given;
  if (assert === undefined) return one;
  const x = assert.absent ? {} : { x: assert.value ?? null };
  return { ...one, given: { ...one.given, evidence: { doc: x } } };
}

function expectReference({ given, expect: expected }: ConformanceCase): void {
  const parsed = parseReference(given.reference ?? '');
  expect(parsed.ok).toBe(expected.accepted);
  if (parsed.ok && expected.canonical !== undefined) expect(parsed.reference.text).toBe(expected.canonical);
}

function expectCase(one: ConformanceCase, run: CaseRun): void {
  const { expect: expected } = one;
  const { driven } = run;
  if (expected.refused !== undefined) {
    expect(driven).toMatchObject(expectedRefusal(expected.refused));
    return;
  }
  if (driven.kind === 'refused') expect.fail(`refused: ${JSON.stringify(driven)}`);
  if (expected.execution !== undefined) {
    const statuses = {
      timed_out: 'timed_out',
      busy: 'busy',
      not_landed: 'retrying',
      finished: 'completed',
      cancelled: 'cancelled',
    } as const;
    expect(statuses[driven.kind]).toBe(expected.execution.status);
  }
  if (driven.kind === 'finished') expectOutcome(driven.outcome, fromAssert(one));
  else if (expected.requirements !== undefined || expected.verdict !== undefined) expect(driven.kind).toBe('finished');
  if (expected.calls !== undefined) expect([...run.calls].sort()).toEqual([...expected.calls].sort());
  for (const [trace, reads] of Object.entries(expected.trace_reads ?? {}))
    expect(run.traceReads.get(trace)).toBe(reads);
  expectPrompts(expected, run.models);
}

/** Through the engine a shape finding's place is its `path`; `field` says the same through HTTP. */
function expectedRefusal({ code, rule, path, field }: NonNullable<ConformanceCase['expect']['refused']>): object {
  if (code === 'WYRD_REGISTRY_400_INVALID_CARD_SPEC')
    return { code, ...((path ?? field) !== undefined && { path: path ?? field }) };
  return {
    code,
    ...(rule !== undefined && { rule }),
    ...(path !== undefined && { path }),
    ...(field !== undefined && { field }),
  };
}

function fromAssert(one: ConformanceCase): ConformanceCase['expect'] {
  if (one.given.assert === undefined) return one.expect;
  const { outcome = '', reason, ...rest } = one.expect;
  const { actual, text } = one.expect as { actual?: never; text?: never };
  return {
    ...rest,
    requirements: {
      r: {
        outcome,
        ...(reason !== undefined && { reason }),
        ...(actual !== undefined && { actual }),
        ...(text !== undefined && { text }),
      },
    },
  };
}
