import type { WorkspaceEntry } from '../../plan.ts';
import type { Reference } from '../../references/reference.ts';
import { compareBytes } from '../../values/canonical.ts';

/** Slots that a step's action reached, by step id, filled in the order of stages. */
export type StepReach = ReadonlyMap<string, readonly string[]>;

/**
 * The slots behind the bindings of a call (docs/spec/verification.md §5.4): an input reaches its slot, an output what
 * its step reached, a fixed file its own slot. Statuses, verdict fields and `requirement.*` carry no evidence.
 */
export function reachOf(
  references: readonly Reference[],
  workspace: readonly WorkspaceEntry[],
  steps: StepReach,
): readonly string[] {
  const reached = new Set<string>();
  const follow = (reference: Reference) => {
    if (reference.root === 'input') reached.add(reference.slot);
    if (reference.root === 'output') for (const slot of steps.get(reference.step) ?? []) reached.add(slot);
  };
  for (const reference of references) follow(reference);
  for (const { source } of workspace) {
    if (source.kind === 'attachment') reached.add(source.slot);
    else follow(source.reference);
  }
  return [...reached].sort(compareBytes);
}
