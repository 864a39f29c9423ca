import type { Verifier } from '../../plan.ts';
import type { Reference } from '../../references/reference.ts';
import type { ReadResult } from '../read-result.ts';
import { referencesOf } from './references.ts';

/**
 * Slots whose file was declared and never stored: the result does not list them, but shows which blocks had to do
 * without (docs/spec/verification.md §10.2). A slot that some block read was there.
 */
export function slotsNotStored(verifier: Verifier, result: ReadResult): readonly string[] {
  const missing = new Set<string>();
  const present = new Set<string>();
  const note = (references: readonly Reference[], isMissing: boolean, hasRun: boolean) => {
    for (const reference of references) {
      if (reference.root !== 'input' || verifier.slots[reference.slot]?.type !== 'media') continue;
      if (hasRun) present.add(reference.slot);
      else if (isMissing) missing.add(reference.slot);
    }
  };
  const steps = new Map(result.outcome.steps.map((step) => [step.id, step]));
  for (const plan of verifier.steps) {
    const step = steps.get(plan.id);
    note(referencesOf(plan), step?.reason_code === 'evidence_unavailable', (step?.attempts ?? 0) > 0);
  }
  const requirements = new Map(result.outcome.requirements.map((requirement) => [requirement.id, requirement]));
  for (const plan of verifier.requirements) {
    const requirement = requirements.get(plan.id);
    const isMissing = requirement?.reason_code === 'evidence_unavailable';
    note(referencesOf(plan), isMissing, requirement?.provenance !== undefined);
  }
  return [...missing].filter((slot) => !present.has(slot));
}
