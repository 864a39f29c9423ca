import type { AgentPlan, Binding, CodePlan, RequirementPlan, StepPlan, WorkspaceEntry } from '../plan.ts';
import { indexOf } from './index-of.ts';
import { type Current, type Gap, type Reading, read, readSlot } from './read.ts';
import type { Draft } from './run.ts';

/** The gap that decides for a block: failure over skip, the first among equals (docs/spec/verification.md §10.2). */
export function strongest(candidates: readonly (Gap | null)[]): Gap | null {
  let winner: Gap | null = null;
  for (const candidate of candidates) {
    if (candidate === null) continue;
    if (candidate.cause === 'failure') return candidate;
    winner ??= candidate;
  }
  return winner;
}

/** Order: `when` path, inputs by name, workspace by path; an extract's `from` counts as an input. */
export function gapOfStep(run: Draft, step: StepPlan): Gap | null {
  const condition = step.when === null ? null : gapIn(read(run, step.when.path));
  const { action } = step;
  return strongest([
    condition,
    ...(action.kind === 'extract' ? [gapOfExtract(run, action.slot)] : gapsOfCall(run, action)),
  ]);
}

/** Inputs by name, then workspace by path: the plan's lists have that order. */
export function gapsOfCall(run: Draft, call: AgentPlan | CodePlan, current?: Current): readonly (Gap | null)[] {
  const gaps = call.inputs.map((binding: Binding) => gapIn(read(run, binding.reference, current)));
  if (call.kind === 'code') return gaps;
  return [...gaps, ...call.workspace.map((entry) => gapIn(readEntry(run, entry, current)))];
}

function readEntry(run: Draft, entry: WorkspaceEntry, current?: Current): Reading {
  const { source } = entry;
  return source.kind === 'reference' ? read(run, source.reference, current) : readSlot(run, source.slot, false);
}

/** The gap of a step requirement whose own step has no output; null for a whole requirement. */
export function gapOfOwner(run: Draft, requirement: RequirementPlan): Gap | null {
  if (requirement.step === undefined) return null;
  const state = run.steps[indexOf(run.verifier).step.get(requirement.step) ?? -1];
  if (state?.phase === 'failed') return { gap: true, cause: 'failure', code: 'step_failed' };
  if (state?.phase !== 'skipped') return null;
  return { gap: true, cause: state.cause, code: state.cause === 'skip' ? 'step_skipped' : 'upstream_failed' };
}

/** An optional file that was not sent is no null to an extract: there is nothing to read. */
function gapOfExtract(run: Draft, slot: string): Gap | null {
  const reading = readSlot(run, slot, false);
  if (reading.gap) return reading;
  return Object.hasOwn(run.inputs, slot) ? null : { gap: true, cause: 'failure', code: 'extract_no_evidence' };
}

export function gapIn(reading: Reading): Gap | null {
  return reading.gap ? reading : null;
}
