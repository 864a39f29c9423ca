import type { Json, JsonObject } from '#contract/json.ts';
import { isObject, memberOf } from '../values/kind.ts';
import { checkMetaSchema } from '../values/schema.ts';

/** What a Prompt or a code check asks for (docs/spec/verification.md §5.2). */
export type ResponseFormat =
  | { readonly kind: 'text' }
  | { readonly kind: 'verdict'; readonly data?: JsonObject }
  | { readonly kind: 'schema'; readonly schema: JsonObject };

interface FormatProblem {
  /** Members below the format, e.g. `['data', '$schema']`. */
  readonly place: readonly string[];
  readonly message: string;
  /** A `data` that is no JSON object: a shape refusal wherever it stands. */
  readonly shape?: true;
}

export type FormatReading =
  | { readonly ok: true; readonly format: ResponseFormat }
  | { readonly ok: false; readonly problem: FormatProblem };

const dialects: readonly Json[] = [
  'https://json-schema.org/draft/2020-12/schema',
  'https://json-schema.org/draft/2020-12/schema#',
];

function refuse(place: readonly string[], message: string): FormatReading {
  return { ok: false, problem: { place, message } };
}

/** The named formats: `verdict`, or `{kind: verdict, data?}`. A code check has no other. */
export function readNamedFormat(value: Json | undefined): FormatReading {
  if (value === undefined || value === 'verdict') return { ok: true, format: { kind: 'verdict' } };
  if (!isObject(value) || memberOf(value, 'kind') !== 'verdict') return refuse([], 'the only named format is verdict');
  const data = memberOf(value, 'data') ?? null;
  if (data === null) return { ok: true, format: { kind: 'verdict' } };
  if (!isObject(data)) {
    return { ok: false, problem: { place: ['data'], message: 'expected a JSON Schema object', shape: true } };
  }
  const problem = dataProblem(data);
  return problem === undefined ? { ok: true, format: { kind: 'verdict', data } } : { ok: false, problem };
}

/** The `response_format` of a Prompt; absent and null are free text. */
export function readPromptFormat(value: Json | undefined): FormatReading {
  if (value === undefined || value === null) return { ok: true, format: { kind: 'text' } };
  if (typeof value === 'string' || (isObject(value) && memberOf(value, 'kind') !== undefined)) {
    const extra = isObject(value) ? Object.keys(value).find((name) => name !== 'kind' && name !== 'data') : undefined;
    return extra === undefined ? readNamedFormat(value) : refuse([extra], 'unknown field');
  }
  if (!isObject(value)) return refuse([], 'expected verdict or a JSON Schema object');
  return { ok: true, format: { kind: 'schema', schema: value } };
}

/** The first problem of a declared `data` schema, in the order of §14.3. */
function dataProblem(data: JsonObject): FormatProblem | undefined {
  const dialect = memberOf(data, '$schema');
  if (dialect !== undefined && !dialects.includes(dialect)) {
    return { place: ['data', '$schema'], message: 'only JSON Schema 2020-12 is understood' };
  }
  if (Object.hasOwn(data, '$id')) return { place: ['data', '$id'], message: 'a data schema has no $id of its own' };
  const check = checkMetaSchema(data);
  if (!check.ok) return { place: ['data', ...toPlace(check.pointer)], message: check.message };
  if (memberOf(data, 'type') !== 'object') return { place: ['data', 'type'], message: 'the root type must be object' };
  return undefined;
}

function toPlace(pointer: string): readonly string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
