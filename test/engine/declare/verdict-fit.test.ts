import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#contract/json.ts';
import { verdictSchema } from '#engine/citations/verdict-schema.ts';
import { fitVerdict } from '#engine/declare/verdict-fit.ts';
import { checkMetaSchema, compileSchema, validate } from '#engine/values/schema.ts';

const base = verdictSchema(['doc'], { require_quote: false });

/** A copy of the generated schema with one place set. */
function changed(place: string, value: Json): JsonObject {
  const copy = structuredClone(base) as Record<string, Json>;
  const steps = place.split('.');
  const owner = steps.slice(0, -1).reduce<Record<string, Json>>((at, step) => at[step] as Record<string, Json>, copy);
  owner[steps.at(-1) ?? ''] = value;
  return copy;
}

const closed = (name: string, value: Json): JsonObject => ({
  type: 'object',
  properties: { [name]: value },
  required: [name],
  additionalProperties: false,
});
const locator = 'properties.citations.items.properties.locator';

describe('hand-written Verdict schemas', () => {
  it('fits what the service itself generates, with and without data and quotes', () => {
    expect(fitVerdict(base, false)).toEqual({ fits: true });
    const data: JsonObject = { type: 'object', properties: {}, required: [] };
    expect(fitVerdict(verdictSchema([], { data, require_quote: false }), false)).toEqual({ fits: true, data });
    expect(fitVerdict(verdictSchema(['a'], { require_quote: true }), true).fits).toBe(true);
    expect(fitVerdict(verdictSchema(['a'], { require_quote: true }), false).fits).toBe(false);
    expect(fitVerdict(base, true).fits).toBe(false);
  });

  it.each<[string, JsonObject, boolean]>([
    ['one outcome as const', changed('properties.outcome', { const: 'failed' }), true],
    ['any outcome', changed('properties.outcome', { type: 'string' }), false],
    ['one locator', changed(locator, closed('slide', { type: 'integer' })), true],
    ['a $ref for the locator', changed(locator, { $ref: '#/$defs/l', $defs: {} }), false],
    ['an open locator', changed(locator, { type: 'object' }), false],
    [
      'a sixth locator',
      changed(locator, { anyOf: [closed('page', { type: 'integer' }), closed('id', { type: 'string' })] }),
      false,
    ],
    ['fractional pages', changed(locator, closed('page', { type: 'number' })), false],
    ['a nullable reason', changed('properties.reason', { type: ['string', 'null'] }), false],
    ['optional data', changed('properties.data', { type: 'object' }), false],
    ['more members', changed('properties.score', { type: 'number' }), false],
    ['an open root', changed('additionalProperties', true), false],
    ['optional citations', changed('required', ['outcome', 'reason']), false],
    ['a whole Verdict by $ref', { $ref: '#/$defs/v', $defs: { v: base } }, true],
    ['a circle', { $ref: '#' }, false],
  ])('%s', (_, schema, expected) => {
    expect(fitVerdict(schema, false).fits).toBe(expected);
  });
});

describe('the generated schema', () => {
  const valid = (schema: JsonObject, value: Json) => {
    const compiled = compileSchema(schema);
    if (!compiled.ok) throw new Error(compiled.message);
    return validate(compiled.schema, value).length === 0;
  };
  const citation = (slot: string) => ({ slot, locator: { page: 1 } });
  const verdict = (citations: Json[]) => ({ outcome: 'passed', reason: 'x', citations });

  it('lets citations name reached slots only, and none when nothing is reached', () => {
    expect(valid(base, verdict([citation('doc')]))).toBe(true);
    expect(valid(base, verdict([citation('other')]))).toBe(false);
    const none = verdictSchema([], { require_quote: false });
    expect(valid(none, verdict([]))).toBe(true);
    expect(valid(none, verdict([citation('doc')]))).toBe(false);
  });

  it('is a valid, portable schema', () => {
    expect(checkMetaSchema(base).ok).toBe(true);
    expect(JSON.stringify(base)).not.toMatch(/"(format|minimum|pattern|oneOf)"/);
  });

  it('keeps a data schema its own resource', () => {
    const data: JsonObject = {
      type: 'object',
      properties: { more: { $ref: '#/$defs/n' } },
      $defs: { n: { type: 'number' } },
    };
    const schema = verdictSchema([], { data, require_quote: false });
    expect(valid(schema, { ...verdict([]), data: { more: 1 } })).toBe(true);
    expect(valid(schema, { ...verdict([]), data: { more: 'x' } })).toBe(false);
  });
});
