import type { Json, JsonObject } from '#contract/json.ts';
import { compact, compareBytes, utf8Length } from '../values/canonical.ts';
import { checkJsonValue } from '../values/check-json-value.ts';

/** One span as a store holds it. Ids in any case; times in nanoseconds since the epoch as decimal digits (OTLP). */
export interface SpanRecord {
  readonly span_id: string;
  /** Absent, null or empty for a root span. */
  readonly parent_span_id?: string | null;
  readonly name: string;
  readonly kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly start_unix_nano: string;
  readonly end_unix_nano: string;
  readonly status?: { readonly code: 'unset' | 'ok' | 'error'; readonly description?: string };
  readonly attributes?: JsonObject;
  readonly events?: readonly SpanEvent[];
  readonly links?: readonly SpanLink[];
}

interface SpanEvent {
  readonly unix_nano: string;
  readonly name: string;
  readonly attributes?: JsonObject;
  readonly dropped_attributes_count?: number;
}

interface SpanLink {
  readonly trace_id: string;
  readonly span_id: string;
  readonly trace_state?: string;
  readonly flags?: number;
  readonly attributes?: JsonObject;
}

type TraceAssembly =
  | { readonly ok: true; readonly trace: JsonObject }
  /** Either is I `trace_source_failed`. */
  | { readonly ok: false; readonly reason: 'too_many_spans' | 'too_large' | 'malformed' };

const maxSpans = 10_000;
const maxBytes = 16 * 1024 * 1024;
const maxDepth = 128;
/** Unsigned 64 bits in decimal. */
const nanoseconds = /^[0-9]{1,20}$/;

/**
 * The document that span selectors read: docs/spec/verification.md §9.2. Spans by start, ties by id. A span that was
 * exported twice (a retried export) counts once: the first record of an id is kept.
 */
export function assembleTrace(traceId: string, records: readonly SpanRecord[]): TraceAssembly {
  const spans = new Map<string, SpanRecord>();
  for (const record of records) {
    const id = record.span_id.toLowerCase();
    if (!spans.has(id)) spans.set(id, record);
  }
  if (spans.size > maxSpans) return { ok: false, reason: 'too_many_spans' };
  if (!records.every(hasTimes)) return { ok: false, reason: 'malformed' };
  const trace_id = traceId.toLowerCase();
  const ordered = [...spans].map(([id, record]) => ({ id, record, start: BigInt(record.start_unix_nano) }));
  ordered.sort((a, b) => (a.start === b.start ? compareBytes(a.id, b.id) : a.start < b.start ? -1 : 1));
  const trace = { trace_id, spans: ordered.map(({ id, record }) => spanOf(trace_id, id, record)) };
  // Attributes come from anywhere: what is too deep or no JSON would break every reader after this one.
  if (!checkJsonValue(trace, maxDepth).ok) return { ok: false, reason: 'malformed' };
  return utf8Length(compact(trace)) > maxBytes ? { ok: false, reason: 'too_large' } : { ok: true, trace };
}

function hasTimes(record: SpanRecord): boolean {
  const events = record.events ?? [];
  return [record.start_unix_nano, record.end_unix_nano, ...events.map((event) => event.unix_nano)].every((text) =>
    nanoseconds.test(text),
  );
}

function spanOf(traceId: string, spanId: string, record: SpanRecord): JsonObject {
  const parent = record.parent_span_id;
  return {
    trace_id: traceId,
    span_id: spanId,
    parent_span_id: parent === undefined || parent === null || parent === '' ? null : parent.toLowerCase(),
    name: record.name,
    kind: record.kind ?? 'internal',
    start_time: timestampOf(record.start_unix_nano),
    end_time: timestampOf(record.end_unix_nano),
    duration_ms: durationOf(record),
    status: statusOf(record.status),
    attributes: record.attributes ?? {},
    events: (record.events ?? []).map(eventOf),
    links: (record.links ?? []).map(linkOf),
  };
}

function statusOf(status: SpanRecord['status']): JsonObject {
  if (status === undefined) return { code: 'unset' };
  return status.description === undefined
    ? { code: status.code }
    : { code: status.code, description: status.description };
}

function eventOf(event: SpanEvent): Json {
  return {
    timestamp: timestampOf(event.unix_nano),
    name: event.name,
    attributes: event.attributes ?? {},
    dropped_attributes_count: event.dropped_attributes_count ?? 0,
  };
}

function linkOf(link: SpanLink): Json {
  return {
    trace_id: link.trace_id.toLowerCase(),
    span_id: link.span_id.toLowerCase(),
    trace_state: link.trace_state ?? '',
    flags: link.flags ?? 0,
    attributes: link.attributes ?? {},
  };
}

/** Whole milliseconds, rounded down; a clock that ran backwards gives 0. */
function durationOf(record: SpanRecord): number {
  const nanos = BigInt(record.end_unix_nano) - BigInt(record.start_unix_nano);
  return nanos < 0n ? 0 : Number(nanos / 1_000_000n);
}

/** RFC 3339 in UTC with `Z` and as many of 0, 3, 6, 9 decimals as the time has. */
function timestampOf(nanos: string): string {
  const time = BigInt(nanos);
  const seconds = new Date(Number(time / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
  const decimals = (time % 1_000_000_000n)
    .toString()
    .padStart(9, '0')
    .replace(/(?:000){1,3}$/, '');
  return decimals === '' ? `${seconds}Z` : `${seconds}.${decimals}Z`;
}
