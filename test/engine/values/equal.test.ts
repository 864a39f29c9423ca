import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '#contract/json.ts';
import { areUnique, equal, includes, membership } from '#engine/values/equal.ts';

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
/** A copy with the members of every object in reverse. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, reversed(member)] as const);
  return Object.fromEntries(entries.reverse());
}

describe('equal', () => {
  it.each<[Json, Json]>([
    [0, -0],
    [1, JSON.parse('1.0') as Json],
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
    ['é', 'é'],
  ])('%j = %j', (left, right) => expect(equal(left, right)).toBe(true));

  it.each<[Json, Json]>([
    [0, false],
    [1, '1'],
    [null, false],
    [[], {}],
    [null, {}],
    ['é', 'e\u0301'],
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: null }, {}],
    [{ toString: 1 }, { a: 1 }],
    [{ a: 1 }, { constructor: 1 }],
    [JSON.parse('{"__proto__": 1}') as Json, {}],
  ])('%j ≠ %j', (left, right) => {
    expect(equal(left, right)).toBe(false);
    expect(equal(right, left)).toBe(false);
  });

  it('is an equivalence that ignores the order of members', () => {
    fc.assert(
      fc.property(json, json, json, (a, b, c) => {
        expect(equal(a, reversed(a))).toBe(true);
        expect(equal(a, b)).toBe(equal(b, a));
        if (equal(a, b) && equal(b, c)) expect(equal(a, c)).toBe(true);
      }),
    );
  });
});

describe('membership', () => {
  const member = fc.oneof(
    json,
    fc.integer({ min: 0, max: 30 }),
    fc.constantFrom<Json>(-0, 0, '0', '[0]', [0], '"0', null, 'null'),
  );

  it('answers above the hashing limit as naive search does', () => {
    fc.assert(
      fc.property(fc.array(member, { minLength: 33, maxLength: 50 }), fc.array(member), (list, values) => {
        const isMember = membership(list);
        for (const value of [...values, ...list.map(reversed)]) expect(isMember(value)).toBe(includes(list, value));
      }),
    );
  });

  it('finds repeated members on both sides of the limit', () => {
    fc.assert(
      fc.property(fc.array(member, { minLength: 28, maxLength: 40 }), (list) => {
        const naive = list.every((value, index) => !includes(list.slice(0, index), value));
        expect(areUnique(list)).toBe(naive);
        const distinct = Array.from({ length: list.length }, (_, index) => index);
        expect(areUnique(distinct)).toBe(true);
        expect(areUnique([...distinct, -0])).toBe(false);
      }),
    );
  });
});
