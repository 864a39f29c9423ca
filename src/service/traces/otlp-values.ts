import type { Json, JsonObject } from '#contract/json.ts';
import type { SpanRecord } from '#engine/trace/assemble.ts';

/** One span as either encoding of OTLP brings it. */
export interface ReceivedSpan extends SpanRecord {
  readonly trace_id: string;
}

/** The bytes are no OTLP that can be kept; the message names the place, never a value. */
export class MalformedOtlp extends Error {
  override readonly name = 'MalformedOtlp';
}

/** Nested attribute values deeper than this are refused: every reader after this one would have to bear them. */
export const maxValueDepth = 32;

const kinds = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const statusCodes = ['unset', 'ok', 'error'] as const;

/** Unspecified and unknown kinds are internal, as the specification of OTLP wants it. */
export function toKind(kind: number): NonNullable<SpanRecord['kind']> {
  return kinds[kind] ?? 'internal';
}

export function toStatus(code: number, message: string): NonNullable<SpanRecord['status']> {
  return { code: statusCodes[code] ?? 'unset', ...(message === '' ? {} : { description: message }) };
}

/** Exact as a number where that is possible, else its digits. */
export function toInteger(value: bigint): Json {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** NaN and infinities are no JSON: their names stand for them. */
export function toDouble(value: number): Json {
  return Number.isFinite(value) ? value : String(value);
}

/** Own members only, whatever the keys are called; the first of a doubled key counts. */
export function toAttributes(pairs: readonly (readonly [string, Json])[]): JsonObject {
  return Object.fromEntries([...pairs].reverse());
}

const traceIdPattern = /^(?!0{32})[0-9a-f]{32}$/;
const spanIdPattern = /^(?!0{16})[0-9a-f]{16}$/;

/** Lower hex; throws for an id of another length, or one that is all zero. */
export function requireIds(span: ReceivedSpan): ReceivedSpan {
  if (!traceIdPattern.test(span.trace_id)) throw new MalformedOtlp('a trace id is not 16 bytes, or all zero');
  if (!spanIdPattern.test(span.span_id)) throw new MalformedOtlp('a span id is not 8 bytes, or all zero');
  const { parent_span_id: parent } = span;
  if (parent && !spanIdPattern.test(parent)) throw new MalformedOtlp('the id of a parent is not 8 bytes');
  return span;
}
