import type { ReasonCode } from '#contract/reason-codes.ts';
import { placeCitations } from '../citations/place-citations.ts';
import { judgeEach, judgePath } from '../operators/index.ts';
import type { AssertPlan, RequirementPlan, TracePlan } from '../plan.ts';
import { selectEach } from '../references/select.ts';
import { judgeTrace } from '../trace/judge-trace.ts';
import { gapIn, gapOfOwner, gapsOfCall, strongest } from './gaps.ts';
import { type Gap, read, readRoot, readSlot } from './read.ts';
import type { Draft, JudgedRequirement, RequirementState } from './run.ts';

/**
 * The next state of a requirement whose turn has come: judged when nothing is needed from the world, else what it
 * waits for (docs/spec/verification.md §8–§10).
 */
export function judgeRequirement(run: Draft, plan: RequirementPlan, state: RequirementState): RequirementState {
  if (state.phase === 'placing') return placeCitations(run, plan, state);
  const { check } = plan;
  switch (check.kind) {
    case 'assert':
      return judgeAssert(run, plan, check);
    case 'trace':
      return judgeTraceCheck(run, plan, check);
    case 'agent':
    case 'code':
      if (state.phase === 'running') return state;
      return judgedGap(strongest([gapOfOwner(run, plan), ...gapsOfCall(run, check, plan)])) ?? { phase: 'running' };
    case 'drift':
      if (state.phase === 'running') return state;
      // Without a window there is no sample to score (background.md §6.4).
      return run.window === undefined ? inconclusive('drift_unscored') : { phase: 'running' };
  }
}

function judgeAssert(run: Draft, plan: RequirementPlan, check: AssertPlan): JudgedRequirement {
  const { kind, reference } = check.selector;
  const owner = gapOfOwner(run, plan);
  if (kind === 'path') {
    const reading = read(run, reference, plan);
    const gap = strongest([owner, gapIn(reading)]);
    if (gap !== null || reading.gap) return judgedGap(gap) ?? inconclusive('missing_value');
    return {
      phase: 'judged',
      ...judgePath({ found: true, value: reading.value }, check, {
        api: run.verifier.api,
        allow_empty: check.allow_empty,
      }),
    };
  }
  const root = readRoot(run, reference, plan);
  const gap = strongest([owner, gapIn(root)]);
  if (root.gap || gap?.cause === 'failure') return judgedGap(gap) ?? inconclusive('missing_value');
  const selection = selectEach(root.value, 'selector' in reference ? reference.selector : []);
  const { allow_empty, min_items } = check;
  const judged = judgeEach(selection, check, { api: run.verifier.api, allow_empty, min_items });
  // Of `each` only a missing value is a gap; every other finding yields to a step that was skipped by intent.
  if (gap !== null && judged.code !== 'missing_value') return judgedGap(gap) ?? inconclusive('missing_value');
  return { phase: 'judged', ...judged };
}

function judgeTraceCheck(run: Draft, plan: RequirementPlan, check: TracePlan): RequirementState {
  const gap = strongest([gapOfOwner(run, plan), gapIn(readSlot(run, check.slot, false))]);
  const judged = judgedGap(gap);
  if (judged !== null) return judged;
  if (!Object.hasOwn(run.inputs, check.slot)) return inconclusive('trace_not_supplied');
  const state = run.traces.find((trace) => trace.slot === check.slot);
  if (state === undefined) run.traces.push({ slot: check.slot, kind: 'pending' });
  if (state === undefined || state.kind === 'pending') return { phase: 'running' };
  if (state.kind === 'failure') return inconclusive(state.code);
  return { phase: 'judged', ...judgeTrace(state.trace, check, { api: run.verifier.api, allow_empty: false }) };
}

function judgedGap(gap: Gap | null): JudgedRequirement | null {
  if (gap === null) return null;
  if (gap.cause === 'skip') return { phase: 'judged', outcome: 'not_applicable', code: 'step_skipped' };
  return inconclusive(gap.code);
}

export function inconclusive(code: ReasonCode): JudgedRequirement {
  return { phase: 'judged', outcome: 'inconclusive', code };
}
