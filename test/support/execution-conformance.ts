import { describe, expect, it } from 'vitest';
import { type ExecutionCase, type ExpectedAnswer, executionCases, msOf } from './execution-case.ts';
import { type ExecutionRun, type OpenExecutionHosts, runExecutionCase } from './run-execution-case.ts';

/** The cases of executions.yaml through the API of a host, on a clock that the case moves. */
export function executionConformance(name: string, open: OpenExecutionHosts): void {
  describe(`conformance of background executions: ${name}`, () => {
    it('the cases are there', () => {
      expect(executionCases().length).toBeGreaterThanOrEqual(21);
    });

    for (const one of executionCases()) {
      it.concurrent(`${one.id}: ${one.title}`, { timeout: 120_000 }, async () => {
        expectRun(one, await runExecutionCase(open, one));
      });
    }
  });
}

function expectRun({ given, expect: expected }: ExecutionCase, run: ExecutionRun): void {
  if (given.replay !== undefined) expect(run.replay).toMatchObject(expected.replay ?? {});
  const { state } = run;
  if (expected.states) expect(run.states).toEqual(expected.states);
  if (expected.status) expect(state.status).toBe(expected.status);
  if (expected.verdict) expect(state.result.outcome.verdict).toBe(expected.verdict);
  if (expected.attempts !== undefined) expect(state.attempts).toBe(expected.attempts);
  if (expected.ended_at) expect(run.lasted).toBe(msOf(expected.ended_at));
  if (expected.error === null) expect(state.error).toBeUndefined();
  else if (expected.error) expect(state.error.code).toBe(expected.error.code);
  if (expected.result === null) expect(state.result).toBeUndefined();
  if (expected.dispatches !== undefined) expect(state.dispatches).toHaveLength(expected.dispatches);
  const executions = expected.executions ?? expected.executions_of_key;
  if (executions !== undefined) expect(run.executions).toBe(executions);
  if (expected.results_stored !== undefined) expect(run.results_stored).toBe(expected.results_stored);
  if (expected.ids === 'one') expect(new Set(run.answers.map(({ text }) => text)).size).toBe(1);
  expectAnswers(expected.answers ?? [], run);
}

function expectAnswers(expected: readonly ExpectedAnswer[], { answers, lasted }: ExecutionRun): void {
  const ids = new Map<string, string>();
  for (const [position, { status, id, code, slot, verdict, after }] of expected.entries()) {
    const answer = answers[position];
    expect(answer?.status, answer?.text).toBe(status);
    if (code) expect(answer?.json.code).toBe(code);
    if (slot) expect(answer?.json.details.slot).toBe(slot);
    if (verdict) expect(answer?.json.outcome.verdict).toBe(verdict);
    if (after) expect(lasted).toBe(msOf(after));
    if (id) expect(answer?.json.execution_id).toBe(ids.get(id) ?? answer?.json.execution_id);
    if (id) ids.set(id, answer?.json.execution_id);
  }
}
