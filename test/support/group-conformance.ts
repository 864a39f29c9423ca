import { describe, expect, it } from 'vitest';
import type { PinnedInput } from '#contract/evidence.ts';
import type { OpenStores } from './background-world.ts';
import { type ExpectedJudgment, groupCases, millisecondsOf } from './group-case.ts';
import { type GroupRun, groupCaseStart, type Judgment, runGroupCase } from './run-group-case.ts';

/** The cases of groups.yaml that run on a clock, on the stores of one host. */
export function groupConformance(name: string, open: OpenStores): void {
  describe(`conformance of groups: ${name}`, () => {
    it('the cases are there', () => expect(groupCases().length).toBeGreaterThanOrEqual(22));

    for (const one of groupCases()) {
      it(`${one.id}: ${one.title}`, { timeout: 120_000 }, async () => {
        const run = await runGroupCase(one, open);
        const { executions, due, last_execution } = one.expect;
        expect(run.judgments).toHaveLength(executions.length);
        for (const [index, expected] of executions.entries()) expectJudgment(expected, run.judgments[index], run);
        if (due === null) expect(run.group?.due_at ?? null).toBeNull();
        else if (due !== undefined) expect(run.group?.due_at).toBe(groupCaseStart + millisecondsOf(due));
        if (last_execution !== undefined) expect(run.last).toBe(run.judgments[last_execution]?.execution.execution_id);
      });
    }
  });
}

function expectJudgment(expected: ExpectedJudgment, judgment: Judgment | undefined, run: GroupRun): void {
  const { execution, dispatches } = judgment ?? expect.fail('no such judgment');
  expectTimes(expected, execution);
  if (expected.status) expect(execution.status).toBe(expected.status);
  if (expected.verdict) expect(execution.verdict).toBe(expected.verdict);
  if (expected.error) expect(execution.error?.code).toBe(expected.error.code);
  for (const named of expected.error?.names ?? []) {
    const known = execution.error?.message.split(/[\s,:]+/).map((word) => run.nameOf(word) ?? word);
    expect(known).toContain(named);
  }
  for (const [slot, list] of Object.entries(expected.slots ?? {})) {
    expect(listOf(execution.request.inputs[slot]), slot).toEqual(list);
  }
  if (expected.ids) {
    const [source] = Object.values(execution.request.snapshot ?? {});
    expect(source?.execution_ids.map((id) => run.nameOf(id))).toEqual(expected.ids);
  }
  if (expected.group === null) expect(execution.request.snapshot).toBeUndefined();
  if (expected.result === null) expect(execution.result).toBeNull();
  if (expected.dispatches !== undefined) expect(dispatches).toHaveLength(expected.dispatches);
  if (expected.previous_verdict) {
    expect(dispatches.map(({ context }) => context['group.previous_verdict'])).toEqual([expected.previous_verdict]);
  }
}

function expectTimes({ at, ends }: ExpectedJudgment, execution: Judgment['execution']): void {
  const since = (time: string | null) => Date.parse(time ?? '') - groupCaseStart;
  if (at) expect(since(execution.created_at)).toBe(millisecondsOf(at));
  if (ends) expect(since(execution.ended_at)).toBe(millisecondsOf(ends));
}

function listOf(input: PinnedInput | undefined): unknown {
  return input?.kind === 'json' ? input.value : undefined;
}
