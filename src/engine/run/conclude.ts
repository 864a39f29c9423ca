import type { PinnedInput } from '#contract/evidence.ts';
import type { JsonObject } from '#contract/json.ts';
import type { Outcome, RequirementResult, StepResult, VerdictWord } from '#contract/result.ts';
import type { RequirementPlan, StepPlan } from '../plan.ts';
import { captureEvidence, captureRequirement, captureStep, rememberDigests } from './capture.ts';
import { decide } from './decide.ts';
import { fitOutcome } from './fit-outcome.ts';
import { reasonOf } from './read.ts';
import type { JudgedRequirement, Run, StepState } from './run.ts';

/** Whether every step is settled and every requirement judged, so that `conclude` may be asked. */
export function isFinished(run: Run): boolean {
  return (
    run.requirements.every(({ phase }) => phase === 'judged') &&
    run.steps.every(({ phase }) => phase !== 'waiting' && phase !== 'running')
  );
}

/** The outcome of a finished run, capture applied (docs/spec/verification.md §11–§13). */
export function conclude(run: Run): Outcome {
  const { verifier } = run;
  const counted: VerdictWord[] = [];
  const digest = rememberDigests();
  const requirements = verifier.requirements.map((plan, position) => {
    const state = run.requirements[position];
    if (state?.phase !== 'judged') throw new Error(`requirement ${plan.id} is not judged`);
    if (state.outcome !== 'not_applicable' && plan.severity === 'required') counted.push(state.outcome);
    return captureRequirement(requirementResult(plan, state), verifier.capture, digest);
  });
  const steps = verifier.steps.map((plan, position) =>
    captureStep(stepResult(plan, run.steps[position]), verifier.capture),
  );
  const evidence = Object.fromEntries(
    Object.entries(run.inputs).map(([slot, pinned]): [string, PinnedInput | JsonObject] => [
      slot,
      captureEvidence(pinned, verifier.capture),
    ]),
  );
  return fitOutcome({ verdict: decide(verifier.decide, counted), requirements, steps, evidence }, run);
}

function requirementResult(plan: RequirementPlan, state: JudgedRequirement): RequirementResult {
  const { phase: _phase, code, reason: _reason, attestation: _attestation, outcome, ...rest } = state;
  return {
    id: plan.id,
    statement: plan.statement,
    outcome,
    ...(plan.step !== undefined && { step: plan.step }),
    ...(plan.severity === 'advisory' && { severity: plan.severity }),
    reason: reasonOf(state),
    reason_code: code,
    ...rest,
    check: plan.authored,
  };
}

function stepResult(plan: StepPlan, state: StepState | undefined): StepResult {
  if (state === undefined || state.phase === 'waiting' || state.phase === 'running')
    throw new Error(`step ${plan.id} is not settled`);
  if (state.phase === 'skipped') {
    return {
      id: plan.id,
      status: 'skipped',
      attempts: 0,
      duration_ms: 0,
      reason: reasonOf(state),
      reason_code: state.code,
      attempt_log: [],
    };
  }
  const tried = { id: plan.id, attempts: state.log.length, duration_ms: state.duration_ms, attempt_log: state.log };
  const calls = state.tool_calls === undefined ? {} : { tool_calls: state.tool_calls };
  if (state.phase === 'failed') {
    return { ...tried, status: 'failed', reason: reasonOf(state), reason_code: state.code, ...calls };
  }
  return {
    ...tried,
    status: 'succeeded',
    output: state.output,
    ...(state.warnings !== undefined && { warnings: state.warnings }),
    ...(state.provenance !== undefined && { provenance: state.provenance }),
    ...calls,
  };
}
