import type { Dialect } from '#contract/cards/envelope.ts';
import type { CardRef, CardTarget } from '#contract/cards/reference.ts';
import { toCardRef } from '#contract/cards/reference.ts';
import type {
  ApiVersion,
  AuthoredAction,
  AuthoredCheck,
  AuthoredSlot,
  AuthoredStep,
  VerifierSpec,
} from '#contract/cards/verifier.ts';
import type { Json } from '#contract/json.ts';
import type { Operator } from '#contract/operators.ts';
import { decodeOperator } from '../operators/index.ts';
import { parseReference } from '../references/parse.ts';
import type { Reference } from '../references/reference.ts';
import { newPatternLedger, type PatternLedger } from './pattern-cost.ts';
import type { AgentResolution } from './resolved-agent.ts';
import type { CompileInput, Finding, References, ResolvedCard } from './types.ts';

export interface StepEntry {
  readonly index: number;
  readonly step: AuthoredStep;
  /** Ids of its own requirements. */
  readonly requirements: ReadonlySet<string>;
}

/** What the second pass knows and collects. */
export interface Context {
  readonly api: ApiVersion;
  readonly dialect: Dialect;
  readonly spec: VerifierSpec;
  readonly cards: References;
  readonly slots: ReadonlyMap<string, AuthoredSlot>;
  /** The first step of each id. */
  readonly steps: ReadonlyMap<string, StepEntry>;
  /** Each call's Agent, resolved once: for its own check, for those who read its output, for the plan. */
  readonly agents: Map<AuthoredAction | AuthoredCheck, AgentResolution>;
  readonly patterns: PatternLedger;
  readonly findings: Finding[];
}

export function newContext({ api, dialect, references }: CompileInput, spec: VerifierSpec): Context {
  const steps = new Map<string, StepEntry>();
  for (const [index, step] of (spec.steps ?? []).entries()) {
    if (steps.has(step.id)) continue;
    const requirements = new Set((step.requirements ?? []).map(({ id }) => id));
    steps.set(step.id, { index, step, requirements });
  }
  const slots = new Map(Object.entries(spec.inputs ?? {}));
  return {
    api,
    dialect,
    spec,
    cards: references,
    slots,
    steps,
    agents: new Map(),
    patterns: newPatternLedger(),
    findings: [],
  };
}

export type Details = NonNullable<Finding['details']>;

/** Reports a broken rule (docs/spec/verification.md §14.3). */
export function report(context: Context, rule: string, path: string, message: string, details?: Details): void {
  const finding = { code: 'WYRD_SPEC_400_VALIDATION', rule, path, message } as const;
  context.findings.push(details === undefined ? finding : { ...finding, details });
}

/** Reports what is accepted but most likely a mistake (§14.4); under `touchstone/v1` some of it is refused. */
export function warn(context: Context, rule: string, path: string, message: string): void {
  context.findings.push({ code: 'WYRD_SPEC_400_VALIDATION', rule, path, message, severity: 'warning' });
}

/** Refused under `touchstone/v1`, a warning under `wyrd/v1` (§17). */
export function judgeStrictly(context: Context, rule: string, path: string, message: string): void {
  if (context.api === 'touchstone/v1') report(context, rule, path, message);
  else warn(context, rule, path, message);
}

/** Parses a reference that the shape pass has accepted. */
export function toReference(text: string): Reference {
  const parsed = parseReference(text);
  if (!parsed.ok) throw new Error('a reference was not checked before it was used');
  return parsed.reference;
}

/** Decodes an operator that the shape pass has accepted. */
export function toOperator(wire: Json): Operator {
  const decoded = decodeOperator(wire);
  if (!decoded.ok) throw new Error('an operator was not checked before it was used');
  return decoded.operator;
}

/** A whole slot, without anything below it. */
export function wholeSlot(reference: Reference): string | undefined {
  return reference.root === 'input' && reference.selector.length === 0 ? reference.slot : undefined;
}

/**
 * Looks a Card up and reports when it is not there. The kind has been checked before, since a Card of another kind is
 * refused whether or not it exists.
 */
export function resolveCard(context: Context, target: CardTarget, path: string): ResolvedCard | undefined {
  const card = lookUp(context.cards, target);
  if (card === undefined) context.findings.push({ ...unresolved(target), path });
  return card;
}

export function lookUp(cards: References, target: CardTarget): ResolvedCard | undefined {
  const ref = toCardRef(target);
  return ref === undefined ? undefined : cards.card(ref);
}

/** What is said of a Card that is not there. */
export function unresolved(target: CardTarget): Omit<Finding, 'path'> {
  const rule = 'dependency';
  return typeof target === 'object' && 'sibling' in target
    ? { code: 'WYRD_REGISTRY_400_UNRESOLVED_INLINE_REFERENCE', rule, message: 'the sibling is not in this declaration' }
    : { code: 'WYRD_REGISTRY_422_UNRESOLVED_DEPENDENCY', rule, message: 'the Card does not exist' };
}

/** A reference as results show it: exact, and without `space` (docs/spec/wire.md, dialects). */
export function toResultRef({ kind, name, version, uid }: CardRef): CardRef {
  return { kind, name, ...(version === undefined ? {} : { version }), ...(uid === undefined ? {} : { uid }) };
}
