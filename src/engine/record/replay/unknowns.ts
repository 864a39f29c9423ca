import type { RequirementPlan, Verifier } from '../../plan.ts';
import type { Reference } from '../../references/reference.ts';
import { referencesOf } from './references.ts';

/** What a replay could not know: nothing that was computed from it may be compared with the record. */
export interface Unknowns {
  /** Slots whose value or trace is not held. */
  readonly inputs: Set<string>;
  /** Steps whose output is not held. */
  readonly outputs: Set<string>;
  /** Steps of which the replay and the record say different things: what follows from them is no second defect. */
  readonly steps: Set<string>;
  /** Requirements that cannot be judged again for a reason of their own. */
  readonly requirements: Set<string>;
  /** Whether the words of judges are hidden, and a step that reads them cannot be repeated. */
  readonly reasons: boolean;
}

export interface Reached {
  readonly steps: ReadonlySet<string>;
  readonly requirements: ReadonlySet<string>;
}

/** Every block that an unknown reaches. The plan lists a step after the steps it reads, so one pass is enough. */
export function reachOfUnknowns(verifier: Verifier, unknowns: Unknowns): Reached {
  const steps = new Set(unknowns.steps);
  const requirements = new Set(unknowns.requirements);
  const plans = new Map(verifier.requirements.map((plan) => [plan.id, plan]));
  const isUnknown = (reference: Reference): boolean => {
    switch (reference.root) {
      case 'input':
        return unknowns.inputs.has(reference.slot);
      case 'output':
        return unknowns.outputs.has(reference.step) || steps.has(reference.step);
      case 'status':
        return steps.has(reference.step);
      case 'verdict':
        return (
          requirements.has(reference.requirement) || hidesReason(plans.get(reference.requirement), reference.field)
        );
      case 'current':
        return false;
    }
  };
  const hidesReason = (plan: RequirementPlan | undefined, field: 'outcome' | 'reason') =>
    unknowns.reasons && field === 'reason' && (plan?.check.kind === 'agent' || plan?.check.kind === 'code');
  const visit = (plan: RequirementPlan | undefined) => {
    if (plan === undefined) return;
    const isOwnerUnknown = plan.step !== undefined && steps.has(plan.step);
    if (isOwnerUnknown || referencesOf(plan).some(isUnknown)) requirements.add(plan.id);
  };
  for (const step of verifier.steps) {
    if (referencesOf(step).some(isUnknown)) steps.add(step.id);
    for (const id of step.requirements) visit(plans.get(id));
  }
  for (const plan of verifier.requirements) if (plan.step === undefined) visit(plan);
  return { steps, requirements };
}
