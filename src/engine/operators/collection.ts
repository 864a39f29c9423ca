import type { Json, JsonObject } from '#contract/json.ts';
import type { Operator } from '#contract/operators.ts';
import { areUnique, membership } from '../values/equal.ts';
import { isList } from '../values/kind.ts';
import { scalarCount } from '../values/text.ts';
import { distinctOf, membershipOf } from './expected-list.ts';
import { count, type Measure, measuringOperator, numberOf, operator } from './operator.ts';

type Sized = string | readonly Json[] | JsonObject;

function isMember(left: Json, right: readonly Json[]): boolean {
  return membershipOf(right)(left);
}

function isSubset(left: readonly Json[], right: readonly Json[]): boolean {
  return left.every(membershipOf(right));
}

/** Distinct members first: then L must be at least as long, and the work stays within the length of L. */
function isSuperset(left: readonly Json[], right: readonly Json[]): boolean {
  const distinct = distinctOf(right);
  return distinct.length <= left.length && distinct.every(membership(left));
}

function sharesMember(left: readonly Json[], right: readonly Json[]): boolean {
  return left.some(membershipOf(right));
}

function sizeOf(value: Sized): number {
  if (typeof value === 'string') return scalarCount(value);
  return isList(value) ? value.length : Object.keys(value).length;
}

function isEmpty(value: Sized): boolean {
  if (typeof value === 'string' || isList(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}

function sized(name: string, holds: (size: number, limit: number) => boolean) {
  return (left: Sized, _: null, from: Operator): Measure => {
    const size = sizeOf(left);
    return { actual: size, holds: holds(size, numberOf(from, name)) };
  };
}

const needsRight = { vacuousOnEmptyRight: true } as const;
const needsBoth = { vacuousOnEmptyRight: true, vacuousOnEmptyLeft: true } as const;

export const collectionOperators = {
  in: operator('any', 'list', 'The value equals some member of the expected list.', isMember, { normalizes: true }),
  not_in: operator(
    'any',
    'list',
    'The value equals no member of the expected list.',
    (left, right) => !isMember(left, right),
    { normalizes: true },
  ),
  is_subset: operator('list', 'list', 'Every member is in the expected list.', isSubset, needsBoth),
  is_superset: operator('list', 'list', 'Every expected member is in the list.', isSuperset, needsRight),
  all_of: operator('list', 'list', 'Every expected member is in the list.', isSuperset, needsRight),
  is_disjoint: operator(
    'list',
    'list',
    'The list and the expected one have no common member.',
    (left, right) => !sharesMember(left, right),
    needsBoth,
  ),
  none_of: operator(
    'list',
    'list',
    'No expected member is in the list.',
    (left, right) => !sharesMember(left, right),
    needsBoth,
  ),
  any_of: operator('list', 'list', 'Some expected member is in the list.', sharesMember, needsRight),
  is_empty: operator('sized', 'none', 'The text, list or object is empty.', isEmpty),
  is_non_empty: operator('sized', 'none', 'The text, list or object is not empty.', (left) => !isEmpty(left)),
  length: measuringOperator(
    'sized',
    'none',
    'The text, list or object has exactly `expected` characters, members or keys.',
    sized('expected', (size, limit) => size === limit),
    { parameters: { expected: count }, records: { parameter: 'expected' } },
  ),
  length_greater_than: measuringOperator(
    'sized',
    'none',
    'The text, list or object has more than `min` characters, members or keys.',
    sized('min', (size, limit) => size > limit),
    { parameters: { min: count }, records: 'parameters' },
  ),
  length_less_than: measuringOperator(
    'sized',
    'none',
    'The text, list or object has fewer than `max` characters, members or keys.',
    sized('max', (size, limit) => size < limit),
    { parameters: { max: count }, records: 'parameters' },
  ),
  unique_values: operator('list', 'none', 'No two members of the list are equal.', areUnique, {
    vacuousOnEmptyLeft: true,
  }),
} as const;
