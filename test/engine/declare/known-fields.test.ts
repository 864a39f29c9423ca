import { describe, expect, it } from 'vitest';
import type { Json } from '#contract/json.ts';
import { rulesOut } from '#engine/declare/known-fields.ts';
import { parseReference } from '#engine/references/parse.ts';

function absent(schema: Json, place: string): boolean {
  const parsed = parseReference(`inputs.doc${place}`);
  if (!parsed.ok || !('selector' in parsed.reference)) throw new Error('no selector');
  return rulesOut(schema, parsed.reference.selector);
}

const closed = (properties: Json) => ({ type: 'object', properties, additionalProperties: false }) as Json;
const chain = (depth: number): Json => (depth === 0 ? closed({}) : { anyOf: [chain(depth - 1), chain(depth - 1)] });

describe('fields that a schema rules out', () => {
  it.each<[string, Json, string, boolean]>([
    ['open', { type: 'object' }, '.a', false],
    ['closed', closed({ b: {} }), '.a', true],
    ['declared', closed({ a: {} }), '.a', false],
    ['forbidden', { properties: { a: false } }, '.a', true],
    ['typed', { type: ['string', 'null'] }, '.a', true],
    ['typed either way', { type: ['string', 'object'] }, '.a', false],
    ['additional schema', { additionalProperties: closed({}) }, '.a.b', true],
    ['unevaluated', { unevaluatedProperties: false, properties: { b: {} } }, '.a', true],
    ['unevaluated beside a $ref', { unevaluatedProperties: false, $ref: '#/$defs/x', $defs: { x: {} } }, '.a', false],
    ['a pattern may match', { patternProperties: { '^z': {} }, additionalProperties: false }, '.a', false],
    ['one branch has it', { anyOf: [closed({ a: {} }), closed({})] }, '.a', false],
    ['no branch has it', { oneOf: [closed({ b: {} }), { type: 'string' }] }, '.a', true],
    ['one conjunct lacks it', { allOf: [closed({ a: {} }), closed({})] }, '.a', true],
    ['through $ref', { $ref: '#/$defs/x', $defs: { x: closed({ b: {} }) } }, '.a', true],
    ['a $ref that leads nowhere', { $ref: '#/$defs/y' }, '.a', false],
    ['index beyond the end', { type: 'array', maxItems: 2 }, '[2]', true],
    ['index of a tuple', { prefixItems: [closed({ a: {} })], items: false }, '[0].a', false],
    ['index after a tuple', { prefixItems: [{}], items: false }, '[1]', true],
    ['index of an object', { type: 'object' }, '[0]', true],
    ['every item lacks it', { items: closed({ b: {} }) }, '[*].a', true],
    ['a tuple item has it', { prefixItems: [closed({ a: {} })], items: false }, '[*].a', false],
    ['inherited names are none', closed({}), '.constructor', true],
    ['a circle', { $ref: '#' }, '.a', false],
    ['more than the budget', chain(12), '.a', false],
  ])('%s', (_, schema, place, expected) => {
    expect(absent(schema, place)).toBe(expected);
  });
});
