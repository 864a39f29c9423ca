import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#contract/json.ts';
import { checkMetaSchema, compileSchema, type Violation, validate } from '#engine/values/schema.ts';

interface Group {
  readonly file: string;
  readonly description: string;
  readonly schema: JsonObject | boolean;
  readonly tests: readonly { readonly description: string; readonly data: Json; readonly valid: boolean }[];
}

const suite = JSON.parse(
  readFileSync(new URL('../../fixtures/json-schema-test-suite/draft2020-12.json', import.meta.url), 'utf8'),
) as readonly Group[];

function violations(schema: JsonObject | boolean, value: Json): readonly Violation[] {
  const compiled = compileSchema(schema);
  if (!compiled.ok) throw new Error(`${compiled.pointer}: ${compiled.message}`);
  return validate(compiled.schema, value);
}

describe('the test suite of JSON Schema 2020-12', () => {
  it('is there', () => expect(suite.flatMap((group) => group.tests).length).toBeGreaterThan(1_200));

  it.each(suite.map((group) => [group.file, group.description, group] as const))('%s: %s', (_, __, group) => {
    for (const { description, data, valid } of group.tests) {
      expect([description, violations(group.schema, data).length === 0]).toEqual([description, valid]);
    }
  });
});

describe('compileSchema', () => {
  it.each<[string, JsonObject, string]>([
    ['a keyword of the wrong type', { properties: { a: { type: 5 } } }, '/properties/a/type'],
    ['an unknown type', { type: 'text' }, '/type'],
    ['a remote reference', { $ref: 'https://example.org/schema' }, '/$ref'],
    ['a reference to nothing', { items: { $ref: '#/$defs/gone' } }, '/items/$ref'],
    ['a reference to an inherited name', { $ref: '#/$defs/constructor', $defs: {} }, '/$ref'],
    ['a pattern of another dialect', { properties: { a: { pattern: '(?=x)' } } }, '/properties/a/pattern'],
    ['a property pattern too large', { patternProperties: { '\\w{500}': true } }, '/patternProperties'],
    ['another draft', { $schema: 'http://json-schema.org/draft-07/schema#' }, '/$schema'],
  ])('refuses %s', (_, schema, pointer) => {
    expect(compileSchema(schema)).toMatchObject({ ok: false, pointer });
  });

  it('refuses a schema of many patterns before compiling them', () => {
    const anyOf = Array.from({ length: 200 }, (_, index) => ({ pattern: `${index}\\w{500}` }));
    const started = performance.now();
    expect(compileSchema({ anyOf })).toMatchObject({ ok: false });
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe('validate', () => {
  it('says where, by pointers, and never what', () => {
    const schema = { properties: { 'a/b': { items: { type: 'string' } } } };
    expect(violations(schema, { 'a/b': ['x', 5] })).toEqual([
      { pointer: '/a~1b/1', keyword: 'type', schemaPointer: '/properties/a~1b/items' },
    ]);
  });

  it('lists at most ten violations', () => {
    expect(
      violations(
        { items: false },
        Array.from({ length: 50 }, () => 1),
      ),
    ).toHaveLength(10);
  });

  it.each<[string, JsonObject, Json]>([
    ['a property', { properties: { constructor: { type: 'string' } } }, {}],
    ['a closed object', { properties: {}, additionalProperties: true }, { constructor: 1 }],
    ['a dependency', { dependentRequired: { toString: ['x'] } }, {}],
    ['a dependent schema', { dependentSchemas: { valueOf: false } }, {}],
  ])('does not take an inherited name for %s', (_, schema, value) => {
    expect(violations(schema, value)).toEqual([]);
  });

  it('does not find an inherited name where one is required', () => {
    expect(violations({ required: ['toString'] }, {})).toHaveLength(1);
    expect(violations({ additionalProperties: false }, JSON.parse('{"__proto__":1}') as Json)).toHaveLength(1);
  });

  it('runs patterns in the Rust dialect', () => {
    expect(violations({ pattern: '^\\d+$' }, '٣')).toEqual([]);
    const started = performance.now();
    expect(violations({ pattern: '^(a+)+$' }, `${'a'.repeat(100_000)}!`)).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('takes format for an annotation', () => {
    expect(violations({ format: 'email' }, 'no address')).toEqual([]);
  });

  const doubling = (count: number): JsonObject => ({
    $ref: '#/$defs/d0',
    $defs: Object.fromEntries(
      Array.from({ length: count }, (_, index) => {
        const next = { $ref: `#/$defs/d${index + 1}` };
        return [`d${index}`, index + 1 === count ? { type: 'number' } : { allOf: [next, next] }];
      }),
    ),
  });

  it.each<[string, JsonObject, Json]>([
    ['a reference to itself', { $ref: '#' }, 1],
    ['a reference to itself under not', { not: { $ref: '#' } }, 1],
    [
      'two references in a ring',
      { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } } },
      1,
    ],
    ['references that double forty times', doubling(40), 1],
    ['and their negation', { not: { $ref: '#/$defs/d0' }, $defs: doubling(40).$defs ?? null }, 1],
  ])('gives up on %s', (_, schema, value) => {
    const started = performance.now();
    expect(violations(schema, value)).toEqual([{ pointer: '', keyword: '$limit', schemaPointer: '' }]);
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  it('follows a recursive schema as deep as evidence may nest', () => {
    const tree = { properties: { next: { allOf: [{ $ref: '#' }] } }, required: ['n'] };
    let value: Json = { n: 0 };
    for (let depth = 1; depth < 128; depth += 1) value = { n: depth, next: value };
    expect(violations(tree, value)).toEqual([]);
    expect(violations({ ...tree, required: ['m'] }, value).length).toBeGreaterThan(0);
  });
});

describe('checkMetaSchema', () => {
  it.each<[Json, string, string]>([
    [{ type: 'object', properties: { a: { type: 5 } } }, '/properties/a/type', 'anyOf'],
    [{ required: ['a', 'a'] }, '/required', 'uniqueItems'],
    [{ allOf: [{}, { minLength: -1 }] }, '/allOf/1/minLength', 'minimum'],
    [{ items: [] }, '/items', 'type'],
    ['text', '', 'type'],
  ])('%j: %s', (schema, pointer, keyword) => {
    expect(checkMetaSchema(schema)).toMatchObject({ ok: false, pointer, keyword });
  });

  it('does not look at patterns and references', () => {
    expect(checkMetaSchema({ pattern: '(', $ref: '#/gone' })).toEqual({ ok: true });
  });
});
