import type { Operator } from '#contract/operators.ts';
import { flag, number, numberOf, operator } from './operator.ts';

const range = {
  parameters: { min: number, max: number, inclusive: flag },
  records: 'parameters',
  config: (from: Operator) =>
    numberOf(from, 'min') > numberOf(from, 'max') ? 'the minimum is above the maximum' : null,
} as const;

function isInRange(left: number, from: Operator): boolean {
  const min = numberOf(from, 'min');
  const max = numberOf(from, 'max');
  return from.inclusive === true ? min <= left && left <= max : min < left && left < max;
}

export const tolerance = {
  parameters: { tolerance: number },
  warning: (from: Operator) => (numberOf(from, 'tolerance') < 0 ? 'a negative tolerance is never met' : null),
} as const;

export function isWithinTolerance(left: number, right: number, from: Operator): boolean {
  return Math.abs(left - right) <= numberOf(from, 'tolerance');
}

export const numericOperators = {
  greater_than: operator('number', 'number', 'The number is above the expected one.', (left, right) => left > right),
  greater_than_or_equals: operator(
    'number',
    'number',
    'The number is the expected one or above.',
    (left, right) => left >= right,
  ),
  less_than: operator('number', 'number', 'The number is below the expected one.', (left, right) => left < right),
  less_than_or_equals: operator(
    'number',
    'number',
    'The number is the expected one or below.',
    (left, right) => left <= right,
  ),
  in_range: operator(
    'number',
    'none',
    'The number lies between `min` and `max`; the ends belong to it when `inclusive`.',
    (left, _, from) => isInRange(left, from),
    range,
  ),
  not_in_range: operator(
    'number',
    'none',
    'The number does not lie between `min` and `max`, as `in_range` judges it.',
    (left, _, from) => !isInRange(left, from),
    range,
  ),
  approximately_equals: operator(
    'number',
    'number',
    'The number is at most `tolerance` away from the expected one.',
    isWithinTolerance,
    tolerance,
  ),
  is_positive: operator('number', 'none', 'The number is above zero.', (left) => left > 0),
  is_negative: operator('number', 'none', 'The number is below zero.', (left) => left < 0),
  is_zero: operator('number', 'none', 'The number is zero.', (left) => left === 0),
} as const;
