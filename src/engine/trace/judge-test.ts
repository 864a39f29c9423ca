import type { Json } from '#contract/json.ts';
import { membershipOf } from '../operators/expected-list.ts';
import { equal } from '../values/equal.ts';
import { isList } from '../values/kind.ts';
import { searches, searchWork } from '../values/regex.ts';
import type { Operand, Sign, Test } from './selector.ts';
import { charge, type Work } from './work.ts';

/** Whether a filter's test holds for a value: docs/spec/verification.md §9.3, "Filters". */
export function testHolds(test: Test, current: Json, work: Work): boolean {
  charge(work, 1);
  switch (test.kind) {
    case 'or':
      return test.tests.some((inner) => testHolds(inner, current, work));
    case 'and':
      return test.tests.every((inner) => testHolds(inner, current, work));
    case 'not':
      return !testHolds(test.test, current, work);
    case 'exists':
      return work.follow(test.path, current, work).length > 0;
    case 'compare':
      return comparisonHolds(test, current, work);
    case 'search':
      return valuesOf(test.left, current, work).some((value) => found(test.pattern, value, work));
    case 'in':
      return isMember(test, current, work) !== test.negated;
  }
}

function valuesOf(operand: Operand, current: Json, work: Work): readonly Json[] {
  return operand.kind === 'literal' ? operand.values : work.follow(operand.path, current, work);
}

/** A comparison without `@` is made once, however many members are tested: its sides may be large. */
function comparisonHolds(test: Extract<Test, { kind: 'compare' }>, current: Json, work: Work): boolean {
  const known = work.settled.get(test);
  if (known !== undefined) return known;
  const holds = compare(test.sign, valuesOf(test.left, current, work), valuesOf(test.right, current, work), work);
  if (!dependsOnMember(test.left) && !dependsOnMember(test.right)) work.settled.set(test, holds);
  return holds;
}

function dependsOnMember(operand: Operand): boolean {
  return operand.kind === 'path' && operand.path.root === '@';
}

/** `==` wants equally many values, pairwise equal; an order wants exactly one number on each side. */
function compare(sign: Sign, left: readonly Json[], right: readonly Json[], work: Work): boolean {
  if (sign === '==') return areEqual(left, right, work);
  if (sign === '!=') return !areEqual(left, right, work);
  const [a] = left;
  const [b] = right;
  if (left.length !== 1 || right.length !== 1 || typeof a !== 'number' || typeof b !== 'number') return false;
  return orders[sign](a, b);
}

const orders = {
  '<': (a: number, b: number) => a < b,
  '<=': (a: number, b: number) => a <= b,
  '>': (a: number, b: number) => a > b,
  '>=': (a: number, b: number) => a >= b,
};

function areEqual(left: readonly Json[], right: readonly Json[], work: Work): boolean {
  if (left.length !== right.length) return false;
  charge(work, left.length);
  return left.every((value, index) => equal(value, right[index] ?? null));
}

function found(pattern: string, value: Json, work: Work): boolean {
  if (typeof value !== 'string') return false;
  // Sixty-four characters times atoms are a step: as much as any other step takes.
  charge(work, Math.ceil(searchWork(pattern, value) / 64));
  return searches(pattern, value);
}

function isMember(test: Extract<Test, { kind: 'in' }>, current: Json, work: Work): boolean {
  const list = test.right.kind === 'list' ? test.right.members : valuesOf(test.right, current, work)[0];
  if (list === undefined || !isList(list)) return false;
  return valuesOf(test.left, current, work).some(membershipOf(list));
}
