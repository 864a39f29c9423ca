import type { Json } from '#contract/json.ts';
import type { Operator, OperatorName } from '#contract/operators.ts';
import { isList } from '../values/kind.ts';
import { normalizedExpected } from './expected-list.ts';
import { fitsRight } from './judge.ts';
import type { Normalization } from './normalize-text.ts';
import { operators } from './table.ts';

/** What a declaration can already tell of a comparison: docs/spec/verification.md §7.4, §14.4, §17. */

/** Parameters that cannot work together, or that can never hold. */
export function parameterProblems(operator: Operator): string[] {
  const { config, warning } = operators[operator.kind];
  return [config?.(operator), warning?.(operator)].filter((problem) => typeof problem === 'string');
}

/** `absent`: R is used but not declared. `kind`: an R that mismatches whatever the value is. */
export function expectedProblem(operator: Operator, expected: Json, hasExpected: boolean): 'absent' | 'kind' | null {
  const definition = operators[operator.kind];
  if (definition.right === 'none') return null;
  if (!hasExpected) return 'absent';
  return fitsRight(definition, expected) ? null : 'kind';
}

/** An empty list or text as R, where it makes the answer the same for every value; after normalising, if asked. */
export function isVacuous(operator: Operator, expected: Json, normalize: Normalization = 'none'): boolean {
  if (!operators[operator.kind].vacuousOnEmptyRight) return false;
  const right = normalizedExpected(normalize, expected);
  return right === '' || (isList(right) && right.length === 0);
}

/** Whether `normalize` applies (§17). */
export function acceptsNormalize(name: OperatorName): boolean {
  return operators[name].normalizes;
}

/** Whether `empty_value` can arise, so that `allow_empty` with `path` has a meaning (§17, §19). */
export function canBeEmptyValue(name: OperatorName): boolean {
  return operators[name].vacuousOnEmptyLeft;
}
