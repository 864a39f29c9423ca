import type { ReasonCode } from '#contract/reason-codes.ts';
import type { Citation } from '#contract/result.ts';
import type { RequirementPlan } from '../plan.ts';
import type { Draft, JudgedRequirement, RequirementState } from '../run/run.ts';
import type { Places } from '../run/work.ts';
import { citationHolds, placesOfExtraction } from './places.ts';

type Placing = Extract<RequirementState, { phase: 'placing' }>;

/**
 * Keeps the citations whose slot is reached and whose place exists, drops the others, and turns a pass that has none
 * left into inconclusive (docs/spec/verification.md §5.5). Waits, by asking for places, until every cited one is known.
 */
export function placeCitations(run: Draft, plan: RequirementPlan, state: Placing): RequirementState {
  const { check } = plan;
  const reach = check.kind === 'agent' || check.kind === 'code' ? check.reach : [];
  const kept: Citation[] = [];
  let waits = false;
  for (const citation of state.verdict.citations) {
    if (!reach.includes(citation.slot)) continue;
    const known = placesOf(run, citation.slot);
    if (known === 'pending') waits = true;
    else if (known !== null && 'code' in known) return unreadable(state, known.code);
    else if (known !== null && citationHolds(known, citation)) kept.push(citation);
  }
  return waits ? state : judged(state, kept);
}

/** Null: nothing is pinned there, so nothing can be cited. */
function placesOf(run: Draft, slot: string): Places | { readonly code: ReasonCode } | 'pending' | null {
  const pinned = Object.hasOwn(run.inputs, slot) ? run.inputs[slot] : undefined;
  if (pinned === undefined) return null;
  if (pinned.kind === 'json') return { kind: 'value', value: pinned.value };
  if (pinned.kind === 'trace') return placesOfTrace(run, slot);
  if (run.not_stored?.includes(slot)) return { code: 'evidence_unavailable' };
  const state = run.places.find((places) => places.slot === slot);
  if (state?.kind === 'known') return state.places;
  if (state?.kind === 'failure') return { code: state.code };
  const extracted = extractedPlaces(run, slot);
  if (extracted !== null) return extracted;
  if (state === undefined) run.places.push({ slot, kind: 'pending' });
  return 'pending';
}

function placesOfTrace(run: Draft, slot: string): Places | { readonly code: ReasonCode } | 'pending' {
  const state = run.traces.find((trace) => trace.slot === slot);
  if (state?.kind === 'read') return { kind: 'value', value: state.trace };
  if (state?.kind === 'failure') return { code: state.code };
  if (state === undefined) run.traces.push({ slot, kind: 'pending' });
  return 'pending';
}

/** A step that extracted this very file has read its places already. */
function extractedPlaces(run: Draft, slot: string): Places | null {
  for (const [position, { action }] of run.verifier.steps.entries()) {
    const state = run.steps[position];
    if (action.kind !== 'extract' || action.slot !== slot || state?.phase !== 'succeeded') continue;
    const places = placesOfExtraction(state.output);
    if (places !== null) return places;
  }
  return null;
}

function unreadable(state: Placing, code: ReasonCode): JudgedRequirement {
  return { phase: 'judged', outcome: 'inconclusive', code, ...called(state) };
}

function judged(state: Placing, kept: readonly Citation[]): JudgedRequirement {
  const { outcome, reason, citations, data } = state.verdict;
  const dropped = citations.length - kept.length;
  const shared = {
    phase: 'judged',
    ...(kept.length > 0 && { citations: kept }),
    ...(dropped > 0 && { dropped_citations: dropped }),
    ...(data !== undefined && { data }),
    ...called(state),
  } as const;
  if (outcome === 'passed' && kept.length === 0) {
    return { ...shared, outcome: 'inconclusive', code: dropped > 0 ? 'citations_invalid' : 'uncited_pass' };
  }
  return { ...shared, outcome, code: `judged_${outcome}`, reason };
}

function called(state: Placing) {
  return {
    ...(state.provenance !== undefined && { provenance: state.provenance }),
    ...(state.tool_calls !== undefined && { tool_calls: state.tool_calls }),
    ...(state.attestation !== undefined && { attestation: state.attestation }),
  };
}
