import type { Json } from '#contract/json.ts';
import { decodeVerdict } from '#engine/citations/decode-verdict.ts';
import type { AgentWork } from '#engine/run/work.ts';
import { isObject } from '#engine/values/kind.ts';
import { parseJson } from '#engine/values/parse-json.ts';
import { compileSchema, validate } from '#engine/values/schema.ts';

export type Answer =
  | { readonly ok: true; readonly value: Json }
  /** Places of the form that the answer breaks; never content of the answer. */
  | { readonly ok: false; readonly code: 'malformed' | 'verdict_data_limit'; readonly places: readonly string[] };

const maxPlaces = 10;
const maxDepth = 128;

/**
 * Reads a model's final text (docs/spec/verification.md §4.4): with a schema the trimmed text is exactly one JSON
 * object that fits it. No fence is stripped, no object searched for, no word interpreted.
 */
export function readAnswer(text: string, work: AgentWork): Answer {
  if (work.decode === 'text') return { ok: true, value: text };
  const parsed = parseJson(text.trim(), { maxDepth });
  if (!parsed.ok) return malformed([`the answer is not one JSON text (${parsed.reason})`]);
  if (!isObject(parsed.value)) return malformed(['the answer is not a JSON object']);
  const broken = work.schema === null ? [] : breaks(work.schema, parsed.value);
  if (broken === null) return malformed(['the declared schema does not compile']);
  if (broken.length > 0) return malformed(broken);
  if (work.decode === 'object') return { ok: true, value: parsed.value };
  const decoded = decodeVerdict(parsed.value, {
    ...(work.data !== undefined && { data: work.data }),
    require_quote: work.require_quote,
  });
  if (decoded.ok) return { ok: true, value: parsed.value };
  if (decoded.code === 'verdict_data_limit')
    return { ok: false, code: decoded.code, places: ['/data is above its limits'] };
  return malformed([`the verdict does not fit at ${decoded.place === '' ? 'its root' : decoded.place}`]);
}

function breaks(schema: NonNullable<AgentWork['schema']>, value: Json): readonly string[] | null {
  const compiled = compileSchema(schema);
  if (!compiled.ok) return null;
  return validate(compiled.schema, value)
    .slice(0, maxPlaces)
    .map(({ keyword, schemaPointer }) => `${keyword} at schema ${schemaPointer === '' ? 'root' : schemaPointer}`);
}

function malformed(places: readonly string[]): Answer {
  return { ok: false, code: 'malformed', places };
}
