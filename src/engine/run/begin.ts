import type { Verifier } from '../plan.ts';
import { advance } from './advance.ts';
import { draftOf, newDraft, type Pause, type Run, type RunInput } from './run.ts';

/** Starts a run on pinned inputs that `checkInputs` accepted; everything that needs no effect is judged at once. */
export function begin(verifier: Verifier, input: RunInput, pause: Pause = never): Run {
  const draft = newDraft(verifier, input);
  advance(draft, pause);
  return draft;
}

/** Goes on with a run whose last call was cut by its `pause`. */
export function resume(run: Run, pause: Pause): Run {
  const draft = draftOf(run);
  if (draft.busy === null) advance(draft, pause);
  return draft;
}

export function never(): boolean {
  return false;
}
