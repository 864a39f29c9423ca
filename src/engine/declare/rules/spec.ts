import type { AuthoredRequirement } from '#contract/cards/verifier.ts';
import { type Context, report } from '../context.ts';

/** Every requirement, those of steps first. */
function allRequirements(context: Context): readonly AuthoredRequirement[] {
  const own = (context.spec.steps ?? []).flatMap((step) => step.requirements ?? []);
  return [...own, ...(context.spec.requirements ?? [])];
}

/** One namespace over steps, step requirements and whole requirements; each further use is reported. */
export function checkIds(context: Context): void {
  const seen = new Set<string>();
  const use = (id: string) => {
    if (seen.has(id)) report(context, 'duplicate_id', id, `the id ${id} is used more than once`);
    seen.add(id);
  };
  for (const step of context.spec.steps ?? []) {
    use(step.id);
    for (const requirement of step.requirements ?? []) use(requirement.id);
  }
  for (const requirement of context.spec.requirements ?? []) use(requirement.id);
}

/** A Verifier of samples or of drift is judged over a window, every other one in a run (§2, evidence modes). */
export function modeOf(context: Context): 'run' | 'window' {
  return hasSamples(context) || allRequirements(context).some(({ check }) => check.kind === 'drift') ? 'window' : 'run';
}

function hasSamples(context: Context): boolean {
  return [...context.slots.values()].some((slot) => typeof slot === 'object' && slot.type === 'samples');
}

export function checkModes(context: Context): void {
  const slots = [...context.slots.values()];
  const isOther = slots.some((slot) => typeof slot === 'string' || slot.type !== 'samples');
  if (hasSamples(context) && isOther) report(context, 'mixed_evidence', 'inputs', 'samples slots stand alone');
  const kinds = new Set(allRequirements(context).map(({ check }) => (check.kind === 'drift' ? 'drift' : 'run')));
  if (kinds.size === 2) report(context, 'mixed_evidence', 'requirements', 'drift checks stand alone');
  else if (hasSamples(context) && kinds.has('run')) {
    report(context, 'mixed_evidence', 'requirements', 'samples are judged by drift checks only');
  }
  if (modeOf(context) === 'window' && context.steps.size > 0) {
    report(context, 'window_steps', 'steps', 'a window Verifier has no steps');
  }
}

export function checkDecide(context: Context): void {
  const { decide } = context.spec;
  if (typeof decide !== 'object') return;
  const { threshold } = decide.pass_rate;
  if (Number.isFinite(threshold) && threshold > 0 && threshold <= 1) return;
  report(context, 'pass_rate', 'decide.pass_rate.threshold', 'a threshold is above 0 and at most 1');
}
