import type { Verifier } from '../plan.ts';
import { advance } from './advance.ts';
import { newDraft, type Run, type RunInput } from './run.ts';

/** Starts a run on pinned inputs that `checkInputs` accepted; everything that needs no effect is judged at once. */
export function begin(verifier: Verifier, input: RunInput): Run {
  const draft = newDraft(verifier, input);
  advance(draft);
  return draft;
}
