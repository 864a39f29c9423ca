import { afterAll, describe, expect, test } from 'vitest';
import { type ConformanceCase, type Expectation, verificationCases } from './conformance-case.ts';
import type { Answered } from './embedded-host.ts';
import { expectOutcome } from './expect-outcome.ts';
import { expectPrompts } from './expect-prompts.ts';
import { type CaseHost, type HttpRun, type OpenHost, runThroughHttp } from './http-case.ts';

/** The grammar of references has no route of its own; every other case is declared, sent and read over HTTP. */
const cases = verificationCases().filter(({ given }) => given.reference === undefined);

/** Every case of test/conformance/verification over HTTP, on whatever stores `open` composes. */
export function conformanceThroughHttp(
  name: string,
  open: OpenHost,
  wanted: (one: ConformanceCase) => boolean = () => true,
): void {
  describe(`conformance through HTTP on ${name}`, () => {
    let shared: Promise<CaseHost> | undefined;
    const sharedHost = () => {
      shared ??= open({}, {});
      return shared;
    };
    afterAll(async () => (await shared)?.[Symbol.asyncDispose]());

    for (const one of cases.filter(wanted)) {
      test.concurrent(`${one.id}: ${one.title}`, async () => {
        expectRun(one, await runThroughHttp(withEvidence(one), open, await sharedHost()));
      });
    }
  });
}

function withEvidence(one: ConformanceCase): ConformanceCase {
  const { assert } = one.given;
  if (assert === undefined) return one;
  return { ...one, given: { ...one.given, evidence: { doc: assert.absent ? {} : { x: assert.value ?? null } } } };
}

function expectRun(one: ConformanceCase, run: HttpRun): void {
  const { expect: expected, given } = one;
  if (expected.refused !== undefined) {
    expectRefused(run.answers[0], expected.refused);
    return;
  }
  for (const answer of run.declared) expect(answer.status, answer.text).toBeLessThan(400);
  if (given.calls !== undefined) {
    for (const [position, call] of given.calls.entries())
      expectAnswer(run.answers[position], call.expect as Expectation, run.answers[0]);
    if (expected.executions !== undefined) expect(run.executions).toBe(expected.executions);
    expectPrompts(given.calls.at(-1)?.expect as Expectation | undefined, run.models);
    return;
  }
  if (run.answers.length > 0)
    expectAnswer(run.answers[0], given.assert === undefined ? expected : assertExpectation(expected));
  if (expected.calls !== undefined) expect([...run.calls].sort()).toEqual([...expected.calls].sort());
  expectPrompts(expected, run.models);
}

function assertExpectation({ outcome = '', reason, ...rest }: Expectation): Expectation {
  return { ...rest, requirements: { r: { outcome, ...(reason !== undefined && { reason }) } } };
}

function expectAnswer(answer: Answered | undefined, expected: Expectation, first?: Answered): void {
  const { execution, refused } = expected;
  if (execution?.same_as !== undefined) {
    expect(answer?.status, answer?.text).toBe(202);
    expect(answer?.json).toEqual(first?.json);
  } else if (refused !== undefined) expectRefused(answer, refused);
  else if (execution?.error !== undefined) expect(answer?.json.code).toBe(execution.error);
  else if (execution?.status === 'retrying') expect(answer?.json.status).toBe('retrying');
  else if (execution?.status === 'busy') expect(answer?.json.code).toBe('WYRD_VERIFICATION_429_STAGING_FULL');
  else {
    // A direct call that answers a result is a completed execution.
    if (execution !== undefined) expect(execution.status).toBe('completed');
    expect(answer?.status, answer?.text).toBe(200);
    expectOutcome(answer?.json.outcome, expected);
  }
}

function expectRefused(
  answer: Answered | undefined,
  { code, rule, path, field }: NonNullable<Expectation['refused']>,
): void {
  // Only the published client knows a Verifier by name; over HTTP the pair of uids is refused.
  expect(answer?.json.code).toBe(
    code === 'WYRD_SDK_404_UNKNOWN_VERIFIER' ? 'WYRD_VERIFICATION_400_INVALID_TARGET' : code,
  );
  if (rule !== undefined) expect(answer?.json.details.rule).toBe(rule);
  if (path !== undefined) expect(answer?.json.details.path).toBe(path);
  if (field !== undefined)
    expect(answer?.json.details.field ?? answer?.json.details.path).toMatch(new RegExp(`${RegExp.escape(field)}$`));
}
