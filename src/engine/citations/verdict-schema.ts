import type { Json, JsonObject } from '#contract/json.ts';

export interface VerdictSchemaOptions {
  /** Schema of the declared `data`; absent = the answer has none. */
  readonly data?: JsonObject;
  /** Each citation carries a `quote` (verification.md §17). */
  readonly require_quote: boolean;
}

const integer: JsonObject = { type: 'integer' };
const number: JsonObject = { type: 'number' };

function closed(properties: { readonly [name: string]: Json }): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const locator: JsonObject = {
  anyOf: [
    closed({ page: integer }),
    closed({ slide: integer }),
    closed({ lines: closed({ start: integer, end: integer }) }),
    closed({ json_pointer: { type: 'string' } }),
    closed({ region: closed({ page: integer, x: number, y: number, width: number, height: number }) }),
  ],
};

const text: JsonObject = { type: 'string' };
const outcome: JsonObject = { type: 'string', enum: ['passed', 'failed', 'inconclusive'] };

/**
 * The response schema of a check whose Prompt names the format `verdict` (docs/spec/verification.md §5.2): portable over
 * providers, so everything is closed and required, and number ranges are left to decoding. `slots` are those that the
 * call reaches; when there are none no citation is possible, so the call cannot pass (§19).
 */
export function verdictSchema(slots: readonly string[], options: VerdictSchemaOptions): JsonObject {
  const slot: JsonObject = slots.length === 0 ? text : { type: 'string', enum: slots };
  const item = closed({ slot, locator, ...(options.require_quote ? { quote: text } : {}) });
  const citations: JsonObject = { type: 'array', items: item, ...(slots.length === 0 ? { maxItems: 0 } : {}) };
  const data = options.data === undefined ? {} : { data: asResource(options.data) };
  return closed({ outcome, reason: text, citations, ...data });
}

/** A declared `data` schema is its own resource: its `#` is itself, also where it is embedded. */
function asResource(data: JsonObject): JsonObject {
  const refersToItself = JSON.stringify(data).includes('"#');
  return refersToItself ? { $id: 'urn:touchstone:verdict-data', ...data } : data;
}
