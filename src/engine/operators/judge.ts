import type { Json, JsonObject } from '#contract/json.ts';
import type { Operator } from '#contract/operators.ts';
import { isList, kindOf } from '../values/kind.ts';
import { maxSearchWork } from '../values/regex.ts';
import { normalizedExpected } from './expected-list.ts';
import { type Normalization, normalizeText } from './normalize-text.ts';
import type { Operand, OperatorDefinition } from './operator.ts';
import { operators } from './table.ts';

export type Api = 'wyrd/v1' | 'touchstone/v1';

export interface Comparison {
  readonly operator: Operator;
  /** R; absent in the Card = null. */
  readonly expected: Json;
  readonly normalize: Normalization;
}

/**
 * What an operator says of one value. `true` and `false` carry what the result records (docs/spec/verification.md §7.2,
 * §13); the others are I, with a reason that names the operator and JSON kinds, never a value.
 */
export type Judgement =
  | { readonly result: 'true' | 'false'; readonly actual: Json; readonly expected?: Json }
  | { readonly result: 'mismatch' | 'config' | 'empty_value' | 'non_finite'; readonly reason: string };

/**
 * Judges L against R. Never throws, never coerces; the same bytes in give the same judgement. The operator must have been
 * decoded, and its pattern checked.
 */
export function judge(comparison: Comparison, left: Json, api: Api, budget = newBudget()): Judgement {
  const { operator, expected } = comparison;
  const definition = operators[operator.kind];
  if (definition.config !== undefined && !definition.configAfterType) {
    const problem = definition.config(operator);
    if (problem !== null) return config(operator, problem);
  }
  if (!isOfKind(left, definition.left) || !isOfKind(expected, definition.right)) {
    return mismatch(definition, operator, left, expected);
  }
  if (definition.config !== undefined && definition.configAfterType) {
    const problem = definition.config(operator);
    if (problem !== null) return config(operator, problem);
  }
  if (api === 'touchstone/v1' && definition.vacuousOnEmptyLeft && isList(left) && left.length === 0) {
    return { result: 'empty_value', reason: `${operator.kind}: an empty list proves nothing` };
  }
  return conclude(definition, comparison, left, api, budget);
}

/** What one check may still cost. The items of an `each` share it: their number multiplies the work of one. */
export interface Budget {
  left: number;
}

export function newBudget(): Budget {
  return { left: maxSearchWork };
}

function conclude(
  definition: OperatorDefinition,
  comparison: Comparison,
  left: Json,
  api: Api,
  budget: Budget,
): Judgement {
  const { operator, normalize } = comparison;
  const isNormalized = normalize !== 'none' && definition.normalizes;
  const judgedLeft = isNormalized && typeof left === 'string' ? normalizeText(normalize, left) : left;
  const judgedRight = isNormalized ? rightOf(definition, comparison) : comparison.expected;
  budget.left -= definition.work?.(judgedLeft, operator) ?? 0;
  if (budget.left < 0) return config(operator, 'the text is too long for this pattern');
  if (definition.judge.kind === 'holds') {
    return answer(definition, comparison, definition.judge.holds(judgedLeft, judgedRight, operator), left);
  }
  const measure = definition.judge.measure(judgedLeft, judgedRight, operator);
  if ('config' in measure) return config(operator, measure.config);
  if (Number.isFinite(measure.actual)) return answer(definition, comparison, measure.holds, measure.actual);
  if (api === 'touchstone/v1') {
    return { result: 'non_finite', reason: `${operator.kind}: the computed number is not finite` };
  }
  return answer(definition, comparison, false, null);
}

/** Members of a list R are normalised where they are compared one by one; equality of whole lists stays exact. */
function rightOf(definition: OperatorDefinition, { normalize, expected }: Comparison): Json {
  return definition.right === 'any' && isList(expected) ? expected : normalizedExpected(normalize, expected);
}

function answer(definition: OperatorDefinition, comparison: Comparison, holds: boolean, actual: Json): Judgement {
  const result = holds ? 'true' : 'false';
  const { records } = definition;
  if (records === 'nothing') return { result, actual };
  if (records === 'expected') return { result, actual, expected: comparison.expected };
  const { kind, ...parameters } = comparison.operator;
  const expected = records === 'parameters' ? (parameters as JsonObject) : (parameters[records.parameter] ?? null);
  return { result, actual, expected };
}

function isOfKind(value: Json, operand: Operand | 'none'): boolean {
  switch (operand) {
    case 'any':
    case 'none':
      return true;
    case 'number':
      return typeof value === 'number';
    case 'text':
      return typeof value === 'string';
    case 'list':
      return Array.isArray(value);
    case 'sized':
      return typeof value === 'string' || (typeof value === 'object' && value !== null);
  }
}

/** Whether a value is of a kind that an operator takes as `expected`. */
export function fitsRight(definition: OperatorDefinition, expected: Json): boolean {
  return isOfKind(expected, definition.right);
}

function mismatch(definition: OperatorDefinition, operator: Operator, left: Json, right: Json): Judgement {
  const kinds = definition.right === 'none' ? kindOf(left) : `${kindOf(left)} and ${kindOf(right)}`;
  return { result: 'mismatch', reason: `${operator.kind} is not defined on ${kinds}` };
}

function config(operator: Operator, problem: string): Judgement {
  return { result: 'config', reason: `${operator.kind}: ${problem}` };
}
