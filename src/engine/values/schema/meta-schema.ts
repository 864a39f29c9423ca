import type { JsonObject } from '#contract/json.ts';

/**
 * The meta-schema of JSON Schema 2020-12 (https://json-schema.org/draft/2020-12/schema) with its seven vocabularies
 * written into one document: the same schemas are valid, at the same places. Formats are annotations.
 */
export const metaSchemaUri = 'https://json-schema.org/draft/2020-12/schema';

const schema = { $dynamicRef: '#meta' };
const schemaList = { type: 'array', minItems: 1, items: schema };
const schemaMap = { type: 'object', additionalProperties: schema };
const count = { type: 'integer', minimum: 0 };
const texts = { type: 'array', items: { type: 'string' }, uniqueItems: true };
const simpleTypes = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] };
const text = { type: 'string' };
const flag = { type: 'boolean' };
const number = { type: 'number' };
const anchor = { type: 'string', pattern: '^[A-Za-z_][-A-Za-z0-9._]*$' };

const core = {
  $id: { type: 'string', pattern: '^[^#]*#?$' },
  $schema: text,
  $ref: text,
  $anchor: anchor,
  $dynamicRef: text,
  $dynamicAnchor: anchor,
  $vocabulary: { type: 'object', additionalProperties: flag },
  $comment: text,
  $defs: schemaMap,
};

const applicator = {
  prefixItems: schemaList,
  items: schema,
  contains: schema,
  additionalProperties: schema,
  properties: schemaMap,
  patternProperties: schemaMap,
  dependentSchemas: schemaMap,
  propertyNames: schema,
  if: schema,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, never awaited
  then: schema,
  else: schema,
  allOf: schemaList,
  anyOf: schemaList,
  oneOf: schemaList,
  not: schema,
  unevaluatedItems: schema,
  unevaluatedProperties: schema,
};

const validation = {
  type: { anyOf: [simpleTypes, { type: 'array', items: simpleTypes, minItems: 1, uniqueItems: true }] },
  const: true,
  enum: { type: 'array', items: true },
  multipleOf: { type: 'number', exclusiveMinimum: 0 },
  maximum: number,
  exclusiveMaximum: number,
  minimum: number,
  exclusiveMinimum: number,
  maxLength: count,
  minLength: count,
  pattern: text,
  maxItems: count,
  minItems: count,
  uniqueItems: flag,
  maxContains: count,
  minContains: count,
  maxProperties: count,
  minProperties: count,
  required: texts,
  dependentRequired: { type: 'object', additionalProperties: texts },
};

const annotation = {
  title: text,
  description: text,
  default: true,
  deprecated: flag,
  readOnly: flag,
  writeOnly: flag,
  examples: { type: 'array', items: true },
  format: text,
  contentEncoding: text,
  contentMediaType: text,
  contentSchema: schema,
};

/** Kept by the meta-schema for schemas of older drafts. */
const deprecated = {
  definitions: schemaMap,
  dependencies: { type: 'object', additionalProperties: { anyOf: [schema, texts] } },
  $recursiveAnchor: anchor,
  $recursiveRef: text,
};

export const metaSchema: JsonObject = {
  $id: metaSchemaUri,
  $dynamicAnchor: 'meta',
  type: ['object', 'boolean'],
  properties: { ...core, ...applicator, ...validation, ...annotation, ...deprecated },
};
