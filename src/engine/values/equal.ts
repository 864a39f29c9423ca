import type { Json, JsonObject } from '#contract/json.ts';
import { canonical } from './canonical.ts';
import { isList, isObject } from './kind.ts';

/**
 * Equality of docs/spec/verification.md §7.1: same kind; numbers by value (−0 = 0), text by code points, lists in order,
 * objects as sets of members, at every depth. Depth is bounded where values enter (§3.3).
 */
export function equal(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (isList(left)) return isList(right) && equalLists(left, right);
  return isObject(left) && isObject(right) && equalObjects(left, right);
}

function equalLists(left: readonly Json[], right: readonly Json[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) {
    if (!equal(left[index] ?? null, right[index] ?? null)) return false;
  }
  return true;
}

function equalObjects(left: JsonObject, right: JsonObject): boolean {
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  for (const name of names) {
    if (!Object.hasOwn(right, name) || !equal(left[name] ?? null, right[name] ?? null)) return false;
  }
  return true;
}

/** Above this many members a list is hashed by canonical form, so that no collection operator is quadratic (§16.3). */
export const hashAbove = 32;

/** Tells whether a value equals some member of `members`: O(members) once, O(value) a call above `hashAbove`. */
export function membership(members: readonly Json[]): (value: Json) => boolean {
  if (members.length <= hashAbove) return (value) => includes(members, value);
  const seen = new Set<Json>();
  for (const member of members) seen.add(membershipKey(member));
  return (value) => seen.has(membershipKey(value));
}

/** The same answer for one value, without preparing anything. */
export function includes(members: readonly Json[], value: Json): boolean {
  for (const member of members) if (equal(member, value)) return true;
  return false;
}

/** No two members are equal. */
export function areUnique(members: readonly Json[]): boolean {
  if (members.length > hashAbove) return new Set(members.map(membershipKey)).size === members.length;
  for (let index = 1; index < members.length; index += 1) {
    for (let before = 0; before < index; before += 1) {
      if (equal(members[before] ?? null, members[index] ?? null)) return false;
    }
  }
  return true;
}

/**
 * A primitive that is the same exactly for equal values. A `Set` already compares primitives as `equal` does (−0 is 0
 * there); the mark in front of a container's text keeps it apart from a text that happens to be written so.
 */
function membershipKey(value: Json): Json {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  return typeof value === 'string' ? `"${value}` : canonical(value);
}
