import type { AgentPlan, CodePlan, RequirementPlan, StepPlan } from '../../plan.ts';
import type { Reference } from '../../references/reference.ts';

/** Everything that a block reads, attachments apart; an extract reads its whole slot, a trace check too. */
export function referencesOf(plan: StepPlan | RequirementPlan): readonly Reference[] {
  if ('action' in plan) {
    const { action, when } = plan;
    const condition = when === null ? [] : [when.path];
    return [...condition, ...(action.kind === 'extract' ? [wholeSlot(action.slot)] : ofCall(action))];
  }
  const { check } = plan;
  switch (check.kind) {
    case 'assert':
      return [check.selector.reference];
    case 'trace':
    case 'drift':
      return [wholeSlot(check.slot)];
    case 'agent':
    case 'code':
      return ofCall(check);
  }
}

function ofCall(call: AgentPlan | CodePlan): readonly Reference[] {
  const inputs = call.inputs.map(({ reference }) => reference);
  if (call.kind === 'code') return inputs;
  return [
    ...inputs,
    ...call.workspace.flatMap(({ source }) => (source.kind === 'reference' ? [source.reference] : [])),
  ];
}

function wholeSlot(slot: string): Reference {
  return { root: 'input', text: `inputs.${slot}`, slot, selector: [] };
}
