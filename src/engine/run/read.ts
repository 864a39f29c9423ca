import type { Json } from '#contract/json.ts';
import { type ReasonCode, reasonTexts } from '#contract/reason-codes.ts';
import type { Reference } from '../references/reference.ts';
import { select } from '../references/select.ts';
import { indexOf } from './index-of.ts';
import type { Cause, Draft, Run, StepState } from './run.ts';

/** A binding that gives no value, and why (docs/spec/verification.md §10.2). */
export interface Gap {
  readonly gap: true;
  readonly cause: Cause;
  readonly code: ReasonCode;
}

export type Reading = { readonly gap: false; readonly value: Json } | Gap;

const failure = (code: ReasonCode): Gap => ({ gap: true, cause: 'failure', code });
const missing = failure('missing_value');

/** The requirement on whose behalf a `requirement.*` reference is read. */
export interface Current {
  readonly id: string;
  readonly statement: string;
}

/** What a reference gives, its selector not yet applied; `current` is absent where the grammar forbids it. */
export function readRoot(run: Run | Draft, reference: Reference, current?: Current): Reading {
  switch (reference.root) {
    case 'input':
      return readSlot(run, reference.slot, reference.selector.length > 0);
    case 'output':
      return readOutput(run.steps[positionOf(run, reference.step)]);
    case 'status':
      return { gap: false, value: statusOf(run.steps[positionOf(run, reference.step)]) };
    case 'verdict':
      return { gap: false, value: readVerdict(run, reference.requirement, reference.field) };
    case 'current':
      return current === undefined ? missing : { gap: false, value: current[reference.field] };
  }
}

/** One value: the root with its selector applied (§6 Reading). */
export function read(run: Run | Draft, reference: Reference, current?: Current): Reading {
  const root = readRoot(run, reference, current);
  if (root.gap || !('selector' in reference) || reference.selector.length === 0) return root;
  const selected = select(root.value, reference.selector);
  return selected.found ? { gap: false, value: selected.value } : missing;
}

/** A slot as references see it (§3.2). A file that was declared and never stored is a gap, not a declaration. */
export function readSlot(run: Run | Draft, slot: string, child: boolean): Reading {
  if (!Object.hasOwn(run.inputs, slot)) {
    const declared = Object.hasOwn(run.verifier.slots, slot) ? run.verifier.slots[slot] : undefined;
    const optional = declared !== undefined && 'required' in declared && !declared.required;
    if (!optional) return failure('missing_required_input');
    return child ? missing : { gap: false, value: null };
  }
  const pinned = run.inputs[slot];
  if (pinned === undefined) return missing;
  if (run.not_stored?.includes(slot)) return failure('evidence_unavailable');
  if (pinned.kind === 'json') return { gap: false, value: pinned.value };
  return child ? missing : { gap: false, value: { ...pinned } as Json };
}

function positionOf(run: Run | Draft, step: string): number {
  return indexOf(run.verifier).step.get(step) ?? -1;
}

function readOutput(state: StepState | undefined): Reading {
  if (state?.phase === 'succeeded') return { gap: false, value: state.output };
  if (state?.phase === 'skipped' && state.cause === 'skip')
    return { gap: true, cause: 'skip', code: 'upstream_skipped' };
  return failure('upstream_failed');
}

function statusOf(state: StepState | undefined): Json {
  return state === undefined || state.phase === 'waiting' || state.phase === 'running' ? null : state.phase;
}

function readVerdict(run: Run | Draft, requirement: string, field: 'outcome' | 'reason'): Json {
  const state = run.requirements[indexOf(run.verifier).requirement.get(requirement) ?? -1];
  if (state?.phase !== 'judged') return null;
  return field === 'outcome' ? state.outcome : reasonOf(state);
}

/** The reason text as made, before any capture (§12). */
export function reasonOf(state: { readonly code: ReasonCode; readonly reason?: string }): string {
  return state.reason ?? reasonTexts[state.code];
}
