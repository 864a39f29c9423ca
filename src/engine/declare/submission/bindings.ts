import type { Binding } from '#contract/cards/binding.ts';
import { type OperatorSpec, operatorSpecSchema } from '#contract/cards/operator.ts';
import { type CardTarget, cardTargetSchema, formatCardRef, toCardRef } from '#contract/cards/reference.ts';
import { type Trigger, triggerSchema } from '#contract/cards/trigger.ts';
import { canonical } from '../../values/canonical.ts';
import { lookUp, unresolved } from '../context.ts';
import type { ResolvedCard } from '../types.ts';
import { checkSources } from './group-sources.ts';
import { isConnectionUsable, operatorProblems } from './operator-rules.ts';
import { refuse, type Sink } from './sink.ts';
import { triggerProblem } from './trigger-rules.ts';
import { type BoundVerifier, type VerifierFacts, verifierFacts } from './verifier-facts.ts';

/** The bindings of one subject occurrence, with every rule of docs/spec/background.md §3.1. */
export function checkBindings(sink: Sink, bindings: readonly Binding[], path: string): readonly BoundVerifier[] {
  const seen = new Set<string>();
  const bound = bindings.flatMap((binding, position) => {
    const at = `${path}[${position}]`;
    const found = checkVerifier(sink, binding, at);
    const facts = found?.facts;
    if (found !== undefined) {
      const key = found.card.ref.uid ?? formatCardRef(found.card.ref);
      if (seen.has(key)) {
        const message = 'the Verifier version is bound to this subject already';
        refuse(sink, 'WYRD_SPEC_400_DUPLICATE_VERIFICATION_BINDING', 'duplicate_binding', at, message);
      }
      seen.add(key);
    }
    const trigger = checkTrigger(sink, binding, at);
    if (facts !== undefined) checkActivation(sink, binding, trigger, facts, at);
    for (const list of ['on_failure', 'on_verdict_change'] as const) {
      checkOperators(sink, binding[list] ?? [], facts, `${at}.${list}`);
    }
    return found === undefined ? [] : [found];
  });
  checkSources(sink, bound);
  return bound;
}

function toTarget(value: unknown): CardTarget | undefined {
  const parsed = cardTargetSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

function find(sink: Sink, target: CardTarget, path: string): ResolvedCard | undefined {
  if (typeof target === 'string') {
    const message = 'a file path that no loader resolved';
    refuse(sink, 'WYRD_REGISTRY_400_UNRESOLVED_PATH_REF', 'dependency', path, message);
    return undefined;
  }
  const card = lookUp(sink.references, target);
  if (card === undefined) sink.findings.push({ ...unresolved(target), path, details: { field: path } });
  return card;
}

function checkVerifier(sink: Sink, binding: Binding, at: string): BoundVerifier | undefined {
  const path = `${at}.verifier`;
  const kind = toCardRef(binding.verifier)?.kind;
  if (kind !== undefined && kind !== 'Verifier') {
    const message = `a ${kind} is no Verifier`;
    refuse(sink, 'WYRD_SPEC_400_INVALID_VERIFIER_REF_KIND', 'verifier_kind', path, message);
    return undefined;
  }
  const card = find(sink, binding.verifier, path);
  return card === undefined ? undefined : { path, name: card.ref.name, card, facts: factsOf(sink, card) };
}

function factsOf(sink: Sink, card: ResolvedCard): VerifierFacts {
  const key = card.ref.uid ?? formatCardRef(card.ref);
  const facts = sink.facts.get(key) ?? verifierFacts(card.spec);
  sink.facts.set(key, facts);
  return facts;
}

/** The Trigger of a binding, inline or of a Card; reports one that cannot be used. */
function checkTrigger(sink: Sink, { runs_on: runsOn }: Binding, at: string): Trigger | undefined {
  if (runsOn === undefined) return undefined;
  const path = `${at}.runs_on`;
  const target = toTarget(runsOn);
  const inline = triggerSchema.safeParse(runsOn);
  if (target === undefined) {
    const problem = inline.success ? triggerProblem(inline.data) : undefined;
    if (problem !== undefined) {
      refuse(sink, 'WYRD_SPEC_400_VALIDATION', 'trigger', `${path}.${problem.field}`, problem.message);
    }
    return inline.success ? inline.data : undefined;
  }
  const card = findOfKind(sink, target, 'Trigger', path);
  const declared = triggerSchema.safeParse(card?.spec);
  return declared.success ? declared.data : undefined;
}

function findOfKind(sink: Sink, target: CardTarget, wanted: 'Trigger' | 'Operator', path: string) {
  const kind = toCardRef(target)?.kind;
  if (kind !== undefined && kind !== wanted) {
    refuse(sink, 'WYRD_SPEC_400_INVALID_BINDING_REF_KIND', 'binding_kind', path, `a ${kind} is no ${wanted}`);
    return undefined;
  }
  return find(sink, target, path);
}

function checkActivation(
  sink: Sink,
  binding: Binding,
  trigger: Trigger | undefined,
  facts: VerifierFacts,
  at: string,
): void {
  const mismatch = (field: string, message: string) =>
    refuse(sink, 'WYRD_SPEC_400_TRIGGER_ACTIVATION_MISMATCH', 'trigger_activation', `${at}.${field}`, message);
  const isGroup = trigger?.kind === 'group_end';
  const hasSources = facts.sources.length > 0;
  if (trigger?.kind === 'schedule' && !facts.window) mismatch('runs_on', 'a schedule needs a Verifier of samples');
  if (isGroup && !hasSources) mismatch('runs_on', 'group_end needs a Verifier with source slots');
  const isUnreadable = binding.runs_on !== undefined && trigger === undefined;
  if (hasSources && !isGroup && !isUnreadable && trigger?.kind !== 'schedule') {
    mismatch('runs_on', 'a Verifier with source slots needs group_end');
  }
  if (isGroup && (binding.on_failure ?? []).length > 0) mismatch('on_failure', 'a group reacts by on_verdict_change');
  if (!isGroup && (binding.on_verdict_change ?? []).length > 0) {
    mismatch('on_verdict_change', 'only a group has a verdict that changes');
  }
}

type OperatorEntry = NonNullable<Binding['on_failure']>[number];

function checkOperators(
  sink: Sink,
  entries: readonly OperatorEntry[],
  facts: VerifierFacts | undefined,
  path: string,
): void {
  const seen = new Set<string>();
  for (const [position, entry] of entries.entries()) {
    const at = `${path}[${position}]`;
    const target = toTarget(entry);
    const card = target === undefined ? undefined : findOfKind(sink, target, 'Operator', at);
    const inline = operatorSpecSchema.safeParse(target === undefined ? entry : card?.spec);
    const key = operatorKey(card, inline.data);
    if (key !== undefined && seen.has(key)) {
      refuse(sink, 'WYRD_SPEC_400_DUPLICATE_BINDING_OPERATOR', 'duplicate_operator', at, 'the Operator is named twice');
    }
    if (key !== undefined) seen.add(key);
    if (inline.success && facts !== undefined) checkOperator(sink, inline.data, facts, at);
  }
}

function operatorKey(card: ResolvedCard | undefined, inline: OperatorSpec | undefined): string | undefined {
  if (card !== undefined) return card.ref.uid ?? formatCardRef(card.ref);
  return inline === undefined ? undefined : canonical(JSON.parse(JSON.stringify(inline)));
}

function checkOperator(sink: Sink, spec: OperatorSpec, facts: VerifierFacts, at: string): void {
  const boundTo = { oneDrift: facts.driftChecks === 1, group: facts.sources.length > 0 };
  for (const { field, message } of operatorProblems(spec, boundTo)) {
    refuse(sink, 'WYRD_SPEC_400_INVALID_OPERATOR', 'operator', `${at}.${field}`, message);
  }
  checkConnection(sink, spec, at);
}

export function checkConnection(sink: Sink, spec: OperatorSpec, at: string): void {
  if (sink.connections === undefined || isConnectionUsable(spec, sink.connections)) return;
  const message = 'the connection is not available to this Operator';
  refuse(sink, 'WYRD_SPEC_400_OPERATOR_CONNECTION_UNAVAILABLE', 'operator_connection', at, message);
}
