import { type ExtractableFormat, isExtractable, type MediaFormat } from '#contract/formats.ts';
import type { Json, JsonObject } from '#contract/json.ts';

/** The output of `extract` as JSON Schema, one a format (docs/spec/verification.md §4.3): every field, nothing else. */

const text: JsonObject = { type: 'string' };
const textOrNull: JsonObject = { type: ['string', 'null'] };
const integer: JsonObject = { type: 'integer' };

function closed(properties: { readonly [name: string]: Json }): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function listOf(items: Json): JsonObject {
  return { type: 'array', items };
}

function tagged(format: ExtractableFormat, properties: { readonly [name: string]: Json }): JsonObject {
  return closed({ format: { type: 'string', const: format }, ...properties });
}

const rows = listOf(listOf(text));
const paragraph = closed({ kind: { type: 'string', const: 'paragraph' }, text, style: textOrNull });
const table = closed({ kind: { type: 'string', const: 'table' }, rows });
const slide = closed({
  number: integer,
  title: textOrNull,
  paragraphs: listOf(text),
  tables: listOf(closed({ rows })),
  notes: text,
});
const cell = closed({
  address: text,
  value: { type: ['string', 'number', 'boolean', 'null'] },
  formula: textOrNull,
  error: textOrNull,
});

const extractSchemas: Readonly<Record<ExtractableFormat, JsonObject>> = {
  pdf: tagged('pdf', { pages: listOf(closed({ number: integer, text })) }),
  pptx: tagged('pptx', { slides: listOf(slide) }),
  docx: tagged('docx', { blocks: listOf({ anyOf: [paragraph, table] }) }),
  xlsx: tagged('xlsx', { sheets: listOf(closed({ name: text, cells: listOf(cell) })) }),
  csv: tagged('csv', { rows }),
  json: tagged('json', { value: true }),
  text: tagged('text', { text }),
  markdown: tagged('markdown', { text }),
  html: tagged('html', { text }),
};

/** What an extract of a slot of these formats may put out. */
export function extractSchema(formats: readonly MediaFormat[]): JsonObject {
  return { anyOf: formats.filter(isExtractable).map((format) => extractSchemas[format]) };
}
