import type { DriftSpec } from '#contract/cards/drift.ts';
import { cardRefSchema } from '#contract/cards/reference.ts';
import type { AuthoredAction, AuthoredCheck, AuthoredRequirement, AuthoredSlot } from '#contract/cards/verifier.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { CheckPlan, Comparison, RequirementPlan, Slot, StepPlan, Verifier } from '../../plan.ts';
import type { Reference } from '../../references/reference.ts';
import { isList, isObject, memberOf } from '../../values/kind.ts';
import { type Context, type StepEntry, toOperator, toReference, toResultRef, wholeSlot } from '../context.ts';
import type { AuthoredComparison } from '../rules/comparison.ts';
import type { DriftCheck } from '../rules/drift.ts';
import { actionReferences, type Graph } from '../rules/graph.ts';
import { isSchema } from '../rules/slots.ts';
import { modeOf } from '../rules/spec.ts';
import { toFormats } from '../slot-formats.ts';
import { newAttachmentBook } from './attachments.ts';
import { writeCheck } from './authored.ts';
import { type PlanKit, resolvedRef, toAgentPlan, toCodePlan } from './calls.ts';
import { reachOf } from './reach.ts';

/** Builds the plan of a spec in which nothing was found. `raw` is the spec as sent: what results show of checks. */
export function buildPlan(context: Context, graph: Graph, raw: JsonObject): Verifier {
  const reach = new Map<string, readonly string[]>();
  const kit: PlanKit = { context, book: newAttachmentBook(context), reach };
  nameAttachments(kit);
  const stages = graph.stages ?? [];
  const entries = stages.flat().flatMap((id) => {
    const entry = context.steps.get(id);
    return entry === undefined ? [] : [entry];
  });
  const steps = entries.map((entry) => {
    const plan = toStepPlan(kit, entry, graph);
    reach.set(plan.id, stepReach(kit, entry, plan));
    return plan;
  });
  const rawSteps = listAt(raw, 'steps');
  const own = entries.flatMap(({ step, index }) =>
    toRequirements(kit, step.requirements ?? [], listAt(rawSteps[index], 'requirements'), step.id),
  );
  const whole = toRequirements(kit, context.spec.requirements ?? [], listAt(raw, 'requirements'));
  const order = context.spec.order_by ?? null;
  return {
    api: context.api,
    mode: modeOf(context),
    slots: toSlots(context),
    attachments: kit.book.attachments,
    steps,
    requirements: [...own, ...whole],
    stages,
    decide: context.spec.decide ?? 'all',
    capture: context.spec.context_capture ?? 'full',
    order_by: order === null || order === 'recorded_at' ? order : toReference(order).text,
  };
}

/** Fixed files are numbered in document order, whatever order the steps run in. */
function nameAttachments({ context, book }: PlanKit): void {
  const mount = (block: AuthoredAction | AuthoredCheck) => {
    if (block.kind !== 'agent') return;
    const paths = Object.keys(block.workspace ?? {}).sort();
    for (const path of paths) {
      const entry = block.workspace?.[path];
      if (typeof entry === 'object') book.mount(entry);
    }
  };
  for (const step of context.spec.steps ?? []) {
    mount(step.action);
    for (const { check } of step.requirements ?? []) mount(check);
  }
  for (const { check } of context.spec.requirements ?? []) mount(check);
}

function listAt(owner: Json | undefined, name: string): readonly Json[] {
  const list = isObject(owner) ? memberOf(owner, name) : undefined;
  return isList(list) ? list : [];
}

function toSlots(context: Context): Readonly<Record<string, Slot>> {
  return Object.fromEntries([...context.slots].map(([name, slot]) => [name, toSlot(slot)]));
}

function toSlot(slot: AuthoredSlot): Slot {
  if (typeof slot === 'string') return { type: 'source', reference: slot };
  if (slot.type === 'samples') return { type: 'samples', features: slot.features };
  const required = slot.required ?? true;
  switch (slot.type) {
    case 'json': {
      const schema = slot.schema ?? null;
      return { type: 'json', required, ...(isSchema(schema) ? { schema } : {}) };
    }
    case 'media': {
      const limit = slot.max_bytes == null ? {} : { max_bytes: slot.max_bytes };
      return { type: 'media', required, formats: toFormats(slot.formats), ...limit };
    }
    case 'trace':
      return { type: 'trace', required };
  }
}

function toStepPlan(kit: PlanKit, { step }: StepEntry, graph: Graph): StepPlan {
  return {
    id: step.id,
    dependencies: graph.dependencies.get(step.id) ?? [],
    when: step.when ? { path: toReference(step.when.path), ...toComparison(step.when) } : null,
    action: toAction(kit, step.action),
    requirements: (step.requirements ?? []).map(({ id }) => id),
    timeout_seconds: step.timeout_seconds ?? null,
    retries: step.retries ?? 0,
  };
}

function toAction(kit: PlanKit, action: AuthoredAction): StepPlan['action'] {
  switch (action.kind) {
    case 'extract':
      return { kind: 'extract', slot: slotOf(toReference(action.from)), require_text: action.require_text === true };
    case 'agent':
      return toAgentPlan(kit, action, false);
    case 'code':
      return toCodePlan(kit, action);
  }
}

function stepReach(kit: PlanKit, { step }: StepEntry, plan: StepPlan): readonly string[] {
  return 'reach' in plan.action ? plan.action.reach : reachOf(actionReferences(step.action), [], kit.reach);
}

function slotOf(reference: Reference): string {
  return wholeSlot(reference) ?? '';
}

function toComparison({ operator, expected, normalize }: AuthoredComparison): Comparison {
  return { operator: toOperator(operator), expected: expected ?? null, normalize: normalize ?? 'none' };
}

function toRequirements(
  kit: PlanKit,
  requirements: readonly AuthoredRequirement[],
  raw: readonly Json[],
  step?: string,
): readonly RequirementPlan[] {
  return requirements.map(({ id, statement, check, severity }, position) => {
    const authored = writeCheck(memberAt(raw[position], 'check'), (ref) => refOf(kit.context, ref));
    return {
      id,
      statement,
      ...(step === undefined ? {} : { step }),
      check: toCheck(kit, check),
      authored: isObject(authored) ? authored : {},
      severity: severity ?? 'required',
    };
  });
}

function memberAt(owner: Json | undefined, name: string): Json {
  return (isObject(owner) ? memberOf(owner, name) : undefined) ?? null;
}

function refOf(context: Context, raw: JsonObject) {
  const parsed = cardRefSchema.parse(raw);
  return toResultRef(resolvedRef(context, parsed));
}

function toCheck(kit: PlanKit, check: AuthoredCheck): CheckPlan {
  switch (check.kind) {
    case 'assert': {
      const kind = check.path == null ? 'each' : 'path';
      const reference = toReference(check.path ?? check.each ?? '');
      const limits = { allow_empty: check.allow_empty === true, min_items: check.min_items ?? 0 };
      return { kind: 'assert', selector: { kind, reference }, ...limits, ...toComparison(check) };
    }
    case 'trace': {
      const { span_selector: selector, select = 'collapse' } = check;
      return { kind: 'trace', slot: slotOf(toReference(check.on)), selector, select, ...toComparison(check) };
    }
    case 'agent':
      return { ...toAgentPlan(kit, check, true), require_quote: check.require_quote === true };
    case 'code':
      return { ...toCodePlan(kit, check), require_quote: check.require_quote === true };
    case 'drift':
      return { kind: 'drift', slot: slotOf(toReference(check.on)), spec: toDriftSpec(kit.context, check) };
  }
}

function toDriftSpec(context: Context, { signal, profile, method }: DriftCheck): DriftSpec {
  if (signal.kind === 'Metric' && profile?.kind === 'Custom') return { method: 'Custom', signal, profile };
  if (signal.kind !== 'Distribution' || profile === undefined || profile.kind === 'Custom' || method === 'Custom') {
    throw new Error('a drift check was not checked before its plan was built');
  }
  const baseline = toResultRef(resolvedRef(context, signal.baseline_ref));
  const resolved = { ...signal, baseline_ref: baseline };
  return profile.kind === 'Psi'
    ? { method: 'Psi', signal: resolved, profile }
    : { method: 'Spc', signal: resolved, profile };
}
