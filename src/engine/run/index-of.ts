import type { Verifier } from '../plan.ts';

/** Positions of ids in the lists of a plan. */
export interface PlanIndex {
  readonly step: ReadonlyMap<string, number>;
  readonly requirement: ReadonlyMap<string, number>;
}

// A pure memo: the plan is immutable, and one that was parsed anew simply gets its own entry.
const indexes = new WeakMap<Verifier, PlanIndex>();

export function indexOf(verifier: Verifier): PlanIndex {
  const known = indexes.get(verifier);
  if (known !== undefined) return known;
  const index = {
    step: new Map(verifier.steps.map((step, position) => [step.id, position])),
    requirement: new Map(verifier.requirements.map((requirement, position) => [requirement.id, position])),
  };
  indexes.set(verifier, index);
  return index;
}
