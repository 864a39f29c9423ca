import type { Json } from '#contract/json.ts';
import { decodeVerdict } from '../citations/decode-verdict.ts';
import { settleDrift } from '../drift/settle-drift.ts';
import type { AgentPlan, CodePlan, RequirementPlan, StepPlan } from '../plan.ts';
import { advance } from './advance.ts';
import { never } from './begin.ts';
import { checkOutput } from './check-output.ts';
import { indexOf } from './index-of.ts';
import { inconclusive } from './judge-requirement.ts';
import {
  type Draft,
  draftOf,
  type JudgedRequirement,
  type Pause,
  type RequirementState,
  type Run,
  type RunningStep,
  type StepState,
} from './run.ts';
import type { Settlement } from './work.ts';

/**
 * Takes the answer to one attempt of one work item. Idempotent by `(id, attempt)`: an answer that nothing waits for
 * changes nothing (docs/spec/verification.md §10.10).
 */
export function settle(run: Run, workId: string, settlement: Settlement, pause: Pause = never): Run {
  if (run.busy !== null) return run;
  const at = workId.indexOf(':');
  const draft = draftOf(run);
  if (!apply(draft, workId.slice(0, at), workId.slice(at + 1), settlement)) return run;
  if (draft.busy === null) advance(draft, pause);
  return draft;
}

function apply(draft: Draft, kind: string, id: string, settlement: Settlement): boolean {
  if (kind === 'step') return settleStep(draft, indexOf(draft.verifier).step.get(id) ?? -1, settlement);
  if (settlement.attempt !== 1) return false;
  if (kind === 'check') return settleCheck(draft, indexOf(draft.verifier).requirement.get(id) ?? -1, settlement);
  if (kind === 'trace') return settleTrace(draft, id, settlement);
  if (kind === 'places') return settlePlaces(draft, id, settlement);
  return false;
}

function settleStep(draft: Draft, position: number, settlement: Settlement): boolean {
  const state = draft.steps[position];
  const plan = draft.verifier.steps[position];
  if (state?.phase !== 'running' || plan === undefined || settlement.attempt !== state.log.length + 1) return false;
  if (settlement.result.kind === 'busy') return stop(draft, settlement.result);
  draft.steps[position] = nextStep(plan, state, settlement);
  return true;
}

function nextStep(plan: StepPlan, state: RunningStep, settlement: Settlement): StepState {
  const duration_ms = state.duration_ms + settlement.duration_ms;
  const { result, warnings } = settlement;
  const called = calledOf(settlement);
  const failed = (code: Extract<StepState, { phase: 'failed' }>['code'], reason?: string): StepState => ({
    phase: 'failed',
    log: [...state.log, code],
    duration_ms,
    code,
    ...(reason !== undefined && { reason }),
    ...called,
  });
  if (result.kind === 'output') {
    const refused = checkOutput(result.output, plan.action.kind);
    if (refused !== null) return failed(refused);
    return {
      phase: 'succeeded',
      log: [...state.log, 'ok'],
      duration_ms,
      output: result.output,
      ...(warnings !== undefined && warnings.length > 0 && { warnings }),
      ...called,
    };
  }
  if (result.kind !== 'failure') return failed('malformed_output');
  const tries = state.log.length + 1;
  if (!result.retryable || tries > plan.retries) return failed(result.code, result.reason);
  return {
    phase: 'running',
    log: [...state.log, result.code],
    duration_ms,
    delay_ms: Math.min(500 * 2 ** (tries - 1), 8000),
    ...(result.retry_after_ms !== undefined && { retry_after_ms: result.retry_after_ms }),
  };
}

function settleCheck(draft: Draft, position: number, settlement: Settlement): boolean {
  const plan = draft.verifier.requirements[position];
  const { check } = plan ?? {};
  if (plan === undefined || draft.requirements[position]?.phase !== 'running') return false;
  if (check?.kind !== 'agent' && check?.kind !== 'code' && check?.kind !== 'drift') return false;
  if (settlement.result.kind === 'busy') return stop(draft, settlement.result);
  if (check.kind === 'drift') {
    draft.requirements[position] = { ...settleDrift(check.spec, settlement.result), ...calledOf(settlement) };
    return true;
  }
  draft.requirements[position] = nextCheck(check, settlement);
  return true;
}

function nextCheck(
  check: Extract<RequirementPlan['check'], { kind: 'agent' | 'code' }>,
  settlement: Settlement,
): RequirementState {
  const { result } = settlement;
  const called = calledOf(settlement);
  if (result.kind === 'failure') {
    const reason = result.reason === undefined ? {} : { reason: result.reason };
    return { ...inconclusive(result.code), ...reason, ...called };
  }
  const answer: Json = result.kind === 'verdict' ? result.verdict : null;
  const data = dataSchemaOf(check);
  const decoded = decodeVerdict(answer, { ...(data !== undefined && { data }), require_quote: check.require_quote });
  if (!decoded.ok) return { ...inconclusive(decoded.code), ...called } satisfies JudgedRequirement;
  return { phase: 'placing', verdict: decoded.verdict, ...called };
}

/** What is kept of the call whatever came of it. */
function calledOf({ provenance, tool_calls, attestation }: Settlement) {
  return {
    ...(provenance !== undefined && { provenance }),
    ...(tool_calls !== undefined && { tool_calls }),
    ...(attestation !== undefined && { attestation }),
  };
}

function dataSchemaOf(check: AgentPlan | CodePlan) {
  if (check.kind === 'code') return check.data;
  return check.response.kind === 'text' ? undefined : check.response.data;
}

function settleTrace(draft: Draft, slot: string, settlement: Settlement): boolean {
  const position = draft.traces.findIndex((trace) => trace.slot === slot && trace.kind === 'pending');
  if (position < 0) return false;
  const { result } = settlement;
  if (result.kind === 'busy') return stop(draft, result);
  if (result.kind === 'trace') draft.traces[position] = { slot, kind: 'read', trace: result.trace };
  else
    draft.traces[position] = {
      slot,
      kind: 'failure',
      code: result.kind === 'failure' ? result.code : 'trace_source_failed',
    };
  return true;
}

function settlePlaces(draft: Draft, slot: string, settlement: Settlement): boolean {
  const position = draft.places.findIndex((places) => places.slot === slot && places.kind === 'pending');
  if (position < 0) return false;
  const { result } = settlement;
  if (result.kind === 'busy') return stop(draft, result);
  if (result.kind === 'places') draft.places[position] = { slot, kind: 'known', places: result.places };
  else
    draft.places[position] = {
      slot,
      kind: 'failure',
      code: result.kind === 'failure' ? result.code : 'evidence_unavailable',
    };
  return true;
}

function stop(draft: Draft, busy: { readonly retry_after_ms?: number }): true {
  draft.busy = busy.retry_after_ms === undefined ? {} : { retry_after_ms: busy.retry_after_ms };
  return true;
}
