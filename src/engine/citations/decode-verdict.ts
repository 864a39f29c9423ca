import type { Json, JsonObject } from '#contract/json.ts';
import type { Citation, Locator, Verdict } from '#contract/result.ts';
import { compact, utf8Length } from '../values/canonical.ts';
import { isObject, memberOf } from '../values/kind.ts';
import { compileSchema, validate } from '../values/schema.ts';

export interface VerdictForm {
  /** Schema of the declared `data`; absent = no data may be there. */
  readonly data?: JsonObject;
  readonly require_quote: boolean;
}

export type DecodedVerdict =
  | { readonly ok: true; readonly verdict: Verdict }
  /** `place` is a JSON Pointer into the answer or a name of the form; never content of the answer. */
  | { readonly ok: false; readonly code: 'malformed_verdict' | 'verdict_data_limit'; readonly place: string };

const maxReasonBytes = 16_384;
const maxCitations = 1_000;
const maxDataBytes = 65_536;
const maxDataDepth = 16;
const maxCount = 2 ** 32 - 1;
const maxQuote = 1_000;

/**
 * The closed Verdict of docs/spec/verification.md §5.1 from an untrusted answer: form first, then the declared schema
 * of `data`, then its limits. Whether cited places exist is asked later.
 */
export function decodeVerdict(answer: Json, form: VerdictForm): DecodedVerdict {
  const malformed = (place: string): DecodedVerdict => ({ ok: false, code: 'malformed_verdict', place });
  if (!isObject(answer)) return malformed('');
  const names = form.data === undefined ? verdictNames : verdictNamesWithData;
  const unknown = Object.keys(answer).find((name) => !names.has(name));
  if (unknown !== undefined) return malformed('additionalProperties');
  const outcome = memberOf(answer, 'outcome');
  const reason = memberOf(answer, 'reason');
  const citations = memberOf(answer, 'citations');
  if (outcome !== 'passed' && outcome !== 'failed' && outcome !== 'inconclusive') return malformed('/outcome');
  if (typeof reason !== 'string') return malformed('/reason');
  if (!Array.isArray(citations) || citations.length > maxCitations) return malformed('/citations');
  const decoded: Citation[] = [];
  for (const [position, item] of citations.entries()) {
    const citation = decodeCitation(item, form.require_quote);
    if (citation === null) return malformed(`/citations/${position}`);
    decoded.push(citation);
  }
  const verdict: Verdict = { outcome, reason: cutReason(reason), citations: decoded };
  if (form.data === undefined) return { ok: true, verdict };
  return decodeData(memberOf(answer, 'data'), form.data, verdict);
}

const verdictNames: ReadonlySet<string> = new Set(['outcome', 'reason', 'citations']);
const verdictNamesWithData: ReadonlySet<string> = new Set([...verdictNames, 'data']);

function decodeData(data: Json | undefined, schema: JsonObject, verdict: Verdict): DecodedVerdict {
  if (!isObject(data)) return { ok: false, code: 'malformed_verdict', place: '/data' };
  const compiled = compileSchema(schema);
  // A schema accepted at declaration may still hold a bad `pattern` or `$ref` (verification.md §5.2, §19).
  if (!compiled.ok) return { ok: false, code: 'malformed_verdict', place: '/data' };
  const [violation] = validate(compiled.schema, data);
  if (violation !== undefined) return { ok: false, code: 'malformed_verdict', place: `/data${violation.pointer}` };
  if (depthOf(data) > maxDataDepth || utf8Length(compact(data)) > maxDataBytes) {
    return { ok: false, code: 'verdict_data_limit', place: '/data' };
  }
  return { ok: true, verdict: { ...verdict, data } };
}

function decodeCitation(item: Json, requireQuote: boolean): Citation | null {
  if (!isObject(item)) return null;
  const names = requireQuote ? 3 : 2;
  const slot = memberOf(item, 'slot');
  const locator = decodeLocator(memberOf(item, 'locator'));
  if (Object.keys(item).length !== names || typeof slot !== 'string' || locator === null) return null;
  if (!requireQuote) return { slot, locator };
  const quote = memberOf(item, 'quote');
  if (typeof quote !== 'string' || quote === '' || lengthOf(quote) > maxQuote) return null;
  return { slot, locator, quote };
}

function decodeLocator(value: Json | undefined): Locator | null {
  if (!isObject(value)) return null;
  const [name, ...more] = Object.keys(value);
  if (name === undefined || more.length > 0) return null;
  const place = value[name];
  switch (name) {
    case 'page':
      return isCount(place) ? { page: place } : null;
    case 'slide':
      return isCount(place) ? { slide: place } : null;
    case 'json_pointer':
      return typeof place === 'string' ? { json_pointer: place } : null;
    case 'lines':
      return decodeLines(place);
    case 'region':
      return decodeRegion(place);
    default:
      return null;
  }
}

function decodeLines(place: Json | undefined): Locator | null {
  if (!isObject(place) || Object.keys(place).length !== 2) return null;
  const start = memberOf(place, 'start');
  const end = memberOf(place, 'end');
  return isCount(start) && isCount(end) ? { lines: { start, end } } : null;
}

function decodeRegion(place: Json | undefined): Locator | null {
  if (!isObject(place) || Object.keys(place).length !== 5) return null;
  const page = memberOf(place, 'page');
  const x = memberOf(place, 'x');
  const y = memberOf(place, 'y');
  const width = memberOf(place, 'width');
  const height = memberOf(place, 'height');
  if (!isCount(page) || !isFiniteNumber(x) || !isFiniteNumber(y) || !isFiniteNumber(width) || !isFiniteNumber(height))
    return null;
  return { region: { page, x, y, width, height } };
}

function isFiniteNumber(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxCount;
}

function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** The root counts as one container. */
function depthOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  let deepest = 0;
  for (const child of Array.isArray(value) ? value : Object.values(value)) deepest = Math.max(deepest, depthOf(child));
  return deepest + 1;
}

function cutReason(reason: string): string {
  if (utf8Length(reason) <= maxReasonBytes) return reason;
  let bytes = 0;
  let end = 0;
  for (const character of reason) {
    bytes += utf8Length(character);
    if (bytes > maxReasonBytes) break;
    end += character.length;
  }
  return `${reason.slice(0, end)}…`;
}
