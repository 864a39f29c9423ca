import type { Json, JsonObject } from '#contract/json.ts';
import type { Operator } from '#contract/operators.ts';

/** What one parameter of an operator may be. Numbers are finite doubles, counts non-negative whole numbers (§7.1). */
export type Parameter =
  | { readonly type: 'number' | 'count' | 'boolean' | 'text' }
  | { readonly type: 'word'; readonly words: readonly string[] };

/** Kinds an operator is defined on: `sized` is text, list or object. */
export type Operand = 'any' | 'number' | 'text' | 'list' | 'sized';

/** A computed number that is judged and recorded in place of the value, or the reason why it cannot be computed. */
export type Measure = { readonly actual: number; readonly holds: boolean } | { readonly config: string };

/**
 * One operator of docs/spec/verification.md §7.2, describing itself: documentation, decoding and declaration checks are
 * made from this table as well as the judging. Kinds are checked by `judge` before `holds` or `measure` is called.
 */
export interface OperatorDefinition {
  /** One sentence for the reference page: when it passes. */
  readonly summary: string;
  /** In the order of documentation. Empty: the wire form is a bare string. */
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly left: Operand;
  /** `none` where `expected` is not used. */
  readonly right: Operand | 'none';
  /** What the result records as `expected`: R, the parameter object, one parameter, or nothing. */
  readonly records: 'expected' | 'parameters' | 'nothing' | { readonly parameter: string };
  /** Texts are normalised when a Card asks for it (§17). */
  readonly normalizes: boolean;
  /** An empty R makes the answer the same for every L (§7.4, §17). */
  readonly vacuousOnEmptyRight: boolean;
  /** An empty L passes without having shown anything; I under touchstone/v1 (§17). */
  readonly vacuousOnEmptyLeft: boolean;
  /** Parameters that cannot work, whatever the value: I `operator_config`. */
  readonly config?: (operator: Operator) => string | null;
  /** Whether `config` is looked at only after the type of L. */
  readonly configAfterType: boolean;
  /** What this L costs with these parameters, in units of `maxSearchWork`. Absent: too little to count. */
  readonly work?: (left: Json, operator: Operator) => number;
  /** Parameters that can never hold; harmless when judged, reported at declaration. */
  readonly warning?: (operator: Operator) => string | null;
  readonly judge:
    | { readonly kind: 'holds'; readonly holds: (left: Json, right: Json, operator: Operator) => boolean }
    | { readonly kind: 'measure'; readonly measure: (left: Json, right: Json, operator: Operator) => Measure };
}

type Optional = Partial<Omit<OperatorDefinition, 'judge' | 'left' | 'right' | 'summary'>>;

interface Kinds {
  readonly any: Json;
  readonly number: number;
  readonly text: string;
  readonly list: readonly Json[];
  readonly sized: string | readonly Json[] | JsonObject;
  readonly none: null;
}

/**
 * Defines an operator by a predicate over the kinds it names. The one cast of this folder: `judge` has checked the kinds
 * before it calls.
 */
export function operator<L extends Operand, R extends Operand | 'none'>(
  left: L,
  right: R,
  summary: string,
  holds: (left: Kinds[L], right: Kinds[R], operator: Operator) => boolean,
  options: Optional = {},
): OperatorDefinition {
  const judged = holds as (left: Json, right: Json, operator: Operator) => boolean;
  return { ...defaults(right), left, right, summary, ...options, judge: { kind: 'holds', holds: judged } };
}

/** Defines an operator that computes a number first and records it. */
export function measuringOperator<L extends Operand, R extends Operand | 'none'>(
  left: L,
  right: R,
  summary: string,
  measure: (left: Kinds[L], right: Kinds[R], operator: Operator) => Measure,
  options: Optional = {},
): OperatorDefinition {
  const measured = measure as (left: Json, right: Json, operator: Operator) => Measure;
  return { ...defaults(right), left, right, summary, ...options, judge: { kind: 'measure', measure: measured } };
}

function defaults(right: Operand | 'none') {
  return {
    parameters: {},
    records: right === 'none' ? 'nothing' : 'expected',
    normalizes: false,
    vacuousOnEmptyRight: false,
    vacuousOnEmptyLeft: false,
    configAfterType: false,
  } as const;
}

export const number = { type: 'number' } as const;
export const count = { type: 'count' } as const;
export const flag = { type: 'boolean' } as const;
export const text = { type: 'text' } as const;

/** A number parameter of a decoded operator. */
export function numberOf(from: Operator, name: string): number {
  const value = from[name];
  return typeof value === 'number' ? value : Number.NaN;
}

export function textOf(from: Operator, name: string): string {
  const value = from[name];
  return typeof value === 'string' ? value : '';
}
