import type { Agent } from '#contract/cards/agent.ts';
import { type JudgedKind, judgedKinds, specSchemas } from '#contract/cards/index.ts';
import type { OperatorSpec } from '#contract/cards/operator.ts';
import { type Prompt, promptSchema } from '#contract/cards/prompt.ts';
import { type CardRef, cardTargetSchema, formatCardRef, toCardRef } from '#contract/cards/reference.ts';
import type { Service } from '#contract/cards/service.ts';
import { cardLimits } from '#contract/cards/shared.ts';
import type { Trigger } from '#contract/cards/trigger.ts';
import { isComponentAlias, ownerOccurrence } from '#contract/ids.ts';
import type { Json } from '#contract/json.ts';
import { isObject } from '../../values/kind.ts';
import { lookUp, unresolved } from '../context.ts';
import { promptProblems } from '../prompt-problems.ts';
import { toPointer } from '../shape/check-shape.ts';
import { inDocumentOrder } from '../shape/document-order.ts';
import { toFaults } from '../shape/issues.ts';
import { type Fault, measure, type Path } from '../shape/measure.ts';
import type { Finding, References } from '../types.ts';
import { checkBindings, checkConnection } from './bindings.ts';
import { type FindConnection, operatorProblems } from './operator-rules.ts';
import { refuse, type Sink } from './sink.ts';
import { triggerProblem } from './trigger-rules.ts';
import type { BoundVerifier } from './verifier-facts.ts';

export interface SubmittedCard {
  /** As it is declared, with `uid` when the host has given it one already. */
  readonly ref: CardRef;
  /** Untrusted. */
  readonly spec: Json;
}

/**
 * Everything that is wrong with the submitted Cards other than inside their Verifiers, which `compile` judges: shapes,
 * references, bindings, Triggers, Operators, and Verifiers that nothing binds (docs/spec/background.md §3.1, §4, §5,
 * §7). One list a Card, in the order given. `references` also knows the submitted Cards themselves.
 */
export function checkSubmission(
  cards: readonly SubmittedCard[],
  references: References,
  connections?: FindConnection,
): readonly Finding[] {
  const findings: Finding[] = [];
  const bound = new Set<string>();
  const sink: Sink = { references, connections, facts: new Map(), findings };
  for (const card of cards) {
    for (const { card: verifier } of checkCard(sink, card)) bound.add(keyOf(verifier.ref));
  }
  checkPeers(sink, cards, bound);
  return findings.slice(0, cardLimits.findings);
}

function keyOf({ kind, name, version }: CardRef): string {
  return formatCardRef({ kind, name, version });
}

function isJudged(kind: string): kind is JudgedKind {
  return (judgedKinds as readonly string[]).includes(kind);
}

function checkCard(sink: Sink, { ref, spec }: SubmittedCard): readonly BoundVerifier[] {
  if (ref.kind === 'Verifier') return [];
  const faults = shapeFaults(ref.kind, spec);
  if (faults === 'too_large') {
    const message = `larger than ${cardLimits.specBytes} bytes of compact JSON`;
    refuse(sink, 'WYRD_REGISTRY_400_SPEC_TOO_LARGE', 'shape', '/spec', message);
    return [];
  }
  reportShape(sink, spec, faults);
  return faults.length > 0 || !isJudged(ref.kind) ? [] : checkRules(sink, ref.kind, spec);
}

function shapeFaults(kind: string, spec: Json): readonly Fault[] | 'too_large' {
  if (!isObject(spec)) return [{ path: [], message: 'expected an object' }];
  const { tooLarge, faults } = measure(spec);
  if (tooLarge) return 'too_large';
  if (faults.length > 0 || !isJudged(kind)) return faults;
  const parsed = specSchemas[kind].safeParse(spec);
  if (!parsed.success) return toFaults(spec, parsed.error.issues);
  return kind === 'Prompt' ? promptProblems(promptSchema.parse(spec)) : [];
}

function reportShape(sink: Sink, spec: Json, faults: readonly Fault[]): void {
  for (const { path, message } of inDocumentOrder(spec, faults)) {
    const field = toField(path);
    sink.findings.push({
      code: 'WYRD_REGISTRY_400_INVALID_CARD_SPEC',
      rule: 'shape',
      path: toPointer(path),
      message,
      details: { field },
    });
  }
}

/** `verified_by[0].inputs`: the form in which rules name a field. */
function toField(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

/** The spec has been parsed by the schema of its kind. */
function checkRules(sink: Sink, kind: JudgedKind, spec: Json): readonly BoundVerifier[] {
  switch (kind) {
    case 'Service':
      return checkService(sink, specSchemas.Service.parse(spec));
    case 'Agent':
      return checkAgent(sink, specSchemas.Agent.parse(spec));
    case 'Trigger':
      checkTrigger(sink, specSchemas.Trigger.parse(spec));
      return [];
    case 'Operator':
      checkOperator(sink, specSchemas.Operator.parse(spec));
      return [];
    case 'Verifier':
    case 'Prompt':
    case 'Data':
    case 'Artifact':
      return [];
  }
}

const notComponents = ['Verifier', 'Trigger', 'Operator', 'Audit', 'Source'];

function checkService(sink: Sink, service: Service): readonly BoundVerifier[] {
  const seen = new Set<string>();
  const components = service.components ?? [];
  for (const [position, { alias, ref }] of components.entries()) {
    const path = `components[${position}]`;
    if (alias === ownerOccurrence || !isComponentAlias(alias)) {
      refuse(sink, 'WYRD_SPEC_400_VALIDATION', 'alias', `${path}.alias`, 'not an alias');
    } else if (seen.has(alias)) {
      refuse(sink, 'WYRD_SPEC_400_VALIDATION', 'alias', `${path}.alias`, 'the alias is used twice');
    }
    seen.add(alias);
    const kind = toCardRef(ref)?.kind;
    if (kind !== undefined && notComponents.includes(kind)) {
      const message = `a ${kind} is no component`;
      refuse(sink, 'WYRD_SPEC_400_INVALID_SERVICE_COMPONENT_KIND', 'component_kind', `${path}.ref`, message);
    } else checkTarget(sink, ref, `${path}.ref`);
  }
  const inComponents = components.flatMap((component, position) =>
    checkBindings(sink, component.verified_by ?? [], `components[${position}].verified_by`),
  );
  return [...inComponents, ...checkBindings(sink, service.verified_by ?? [], 'verified_by')];
}

function checkTarget(sink: Sink, value: unknown, path: string): void {
  const target = cardTargetSchema.safeParse(value);
  if (!target.success) return;
  if (typeof target.data === 'string') {
    const message = 'a file path that no loader resolved';
    refuse(sink, 'WYRD_REGISTRY_400_UNRESOLVED_PATH_REF', 'dependency', path, message);
  } else if (lookUp(sink.references, target.data) === undefined) {
    sink.findings.push({ ...unresolved(target.data), path, details: { field: path } });
  }
}

function checkAgent(sink: Sink, agent: Agent): readonly BoundVerifier[] {
  const target = cardTargetSchema.safeParse(agent.prompt);
  const kind = target.success ? toCardRef(target.data)?.kind : undefined;
  if (kind !== undefined && kind !== 'Prompt') {
    refuse(sink, 'WYRD_SPEC_400_VALIDATION', 'prompt_kind', 'prompt', `a ${kind} is no Prompt`);
  } else if (target.success) checkTarget(sink, target.data, 'prompt');
  else checkInlinePrompt(sink, promptSchema.parse(agent.prompt));
  return checkBindings(sink, agent.verified_by ?? [], 'verified_by');
}

function checkInlinePrompt(sink: Sink, prompt: Prompt): void {
  const faults = promptProblems(prompt).map(({ path, message }) => ({ path: ['prompt', ...path], message }));
  reportShape(sink, {}, faults);
}

function checkTrigger(sink: Sink, trigger: Trigger): void {
  const problem = triggerProblem(trigger);
  if (problem !== undefined) refuse(sink, 'WYRD_SPEC_400_VALIDATION', 'trigger', problem.field, problem.message);
}

function checkOperator(sink: Sink, spec: OperatorSpec): void {
  for (const { field, message } of operatorProblems(spec)) {
    refuse(sink, 'WYRD_SPEC_400_INVALID_OPERATOR', 'operator', field, message);
  }
  checkConnection(sink, spec, spec.kind === 'notify' ? 'channel.connection' : 'auth.connection');
}

/** A Verifier submitted beside a Service has to be bound by something in the submission. */
function checkPeers(sink: Sink, cards: readonly SubmittedCard[], bound: ReadonlySet<string>): void {
  if (!cards.some(({ ref }) => ref.kind === 'Service')) return;
  for (const { ref } of cards) {
    if (ref.kind !== 'Verifier' || bound.has(keyOf(ref))) continue;
    const message = `nothing in the submission binds the Verifier ${ref.name}`;
    refuse(sink, 'WYRD_SPEC_400_UNBOUND_VERIFIER_PEER', 'unbound_peer', keyOf(ref), message);
  }
}
