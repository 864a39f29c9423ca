import { judge } from '../operators/index.ts';
import type { StepPlan } from '../plan.ts';
import { gapOfStep } from './gaps.ts';
import { indexOf } from './index-of.ts';
import { judgeRequirement } from './judge-requirement.ts';
import { read } from './read.ts';
import type { Draft, Pause, StepState } from './run.ts';

/**
 * Moves everything that can move without the world: starts or skips steps, judges what can be judged
 * (docs/spec/verification.md §10.1). One pass is enough, because the plan lists every step after the steps it needs.
 * Stops where `pause` says so; the next call goes on from there, and where a pass was cut changes no outcome.
 */
export function advance(run: Draft, pause: Pause): void {
  let stepsSettled = true;
  for (const [position, step] of run.verifier.steps.entries()) {
    if (run.steps[position]?.phase === 'waiting' && isReady(run, step)) run.steps[position] = startStep(run, step);
    if (isSettled(run.steps[position]) && !judgeOwn(run, step, pause)) return;
    stepsSettled &&= isComplete(run, position);
  }
  if (!stepsSettled) return;
  for (const [position, requirement] of run.verifier.requirements.entries()) {
    if (requirement.step === undefined && judgeAt(run, position) && pause()) return;
  }
}

/** False when it was cut. */
function judgeOwn(run: Draft, step: StepPlan, pause: Pause): boolean {
  const positions = indexOf(run.verifier).requirement;
  return step.requirements.every((id) => !(judgeAt(run, positions.get(id) ?? -1) && pause()));
}

/** Whether there was anything to judge. */
function judgeAt(run: Draft, position: number): boolean {
  const state = run.requirements[position];
  const plan = run.verifier.requirements[position];
  if (state === undefined || plan === undefined || state.phase === 'judged') return false;
  run.requirements[position] = judgeRequirement(run, plan, state);
  return run.requirements[position] !== state;
}

/** Every dependency settled, together with its own requirements. */
function isReady(run: Draft, step: StepPlan): boolean {
  const positions = indexOf(run.verifier).step;
  return step.dependencies.every((id) => isComplete(run, positions.get(id) ?? -1));
}

function isComplete(run: Draft, position: number): boolean {
  if (!isSettled(run.steps[position])) return false;
  const positions = indexOf(run.verifier).requirement;
  const own = run.verifier.steps[position]?.requirements ?? [];
  return own.every((id) => run.requirements[positions.get(id) ?? -1]?.phase === 'judged');
}

function isSettled(state: StepState | undefined): boolean {
  return state !== undefined && state.phase !== 'waiting' && state.phase !== 'running';
}

/** Bindings first: a false `when` never excuses a missing file (§10.2). */
function startStep(run: Draft, step: StepPlan): StepState {
  const gap = gapOfStep(run, step);
  if (gap !== null) return { phase: 'skipped', code: gap.code, cause: gap.cause };
  if (step.when !== null) {
    const reading = read(run, step.when.path);
    if (reading.gap) return { phase: 'skipped', code: reading.code, cause: reading.cause };
    const judgement = judge(step.when, reading.value, run.verifier.api);
    if (judgement.result === 'false') return { phase: 'skipped', code: 'when_false', cause: 'skip' };
    if (judgement.result !== 'true') return { phase: 'skipped', code: 'when_unevaluable', cause: 'failure' };
  }
  return { phase: 'running', log: [], duration_ms: 0, delay_ms: 0 };
}
