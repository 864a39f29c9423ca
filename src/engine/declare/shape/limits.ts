import { cardLimits } from '#contract/cards/shared.ts';
import type { JsonObject } from '#contract/json.ts';
import { isObject, memberOf } from '../../values/kind.ts';
import type { Fault } from './measure.ts';

/**
 * Counts that are above their limits (docs/spec/verification.md §2, §16). Looks at lengths only, so that a list of a
 * million entries is refused before any of them is read.
 */
export function exceededLimits(spec: JsonObject): readonly Fault[] {
  const faults: Fault[] = [];
  const slots = memberOf(spec, 'inputs');
  if (isObject(slots) && Object.keys(slots).length > cardLimits.slots) {
    faults.push({ path: ['inputs'], message: `more than ${cardLimits.slots} slots` });
  }
  const steps = memberOf(spec, 'steps');
  const whole = lengthOf(memberOf(spec, 'requirements'));
  if (lengthOf(steps) > cardLimits.steps) {
    faults.push({ path: ['steps'], message: `more than ${cardLimits.steps} steps` });
  }
  const total = whole + (faults.length === 0 ? stepRequirements(steps) : 0);
  if (total > cardLimits.requirements) {
    const message = `more than ${cardLimits.requirements} requirements, those of steps counted`;
    faults.push({ path: whole > 0 ? ['requirements'] : ['steps'], message });
  }
  return faults;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function stepRequirements(steps: unknown): number {
  if (!Array.isArray(steps)) return 0;
  const counts = steps.map((step) => (isObject(step) ? lengthOf(memberOf(step, 'requirements')) : 0));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Lists of one call that are above their limits. */
export function exceededCallLimits(call: JsonObject): readonly Fault[] {
  const faults: Fault[] = [];
  const inputs = memberOf(call, 'inputs');
  if (isObject(inputs) && Object.keys(inputs).length > cardLimits.callInputs) {
    faults.push({ path: ['inputs'], message: `more than ${cardLimits.callInputs} inputs` });
  }
  const workspace = memberOf(call, 'workspace');
  if (isObject(workspace) && Object.keys(workspace).length > cardLimits.workspaceEntries) {
    faults.push({ path: ['workspace'], message: `more than ${cardLimits.workspaceEntries} workspace entries` });
  }
  return faults;
}
