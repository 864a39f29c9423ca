import type { JsonObject } from '#contract/json.ts';
import type { SpanRecord } from '#engine/trace/assemble.ts';
import type { GivenTrace } from './given-evidence.ts';

/** Spans of a case as a store holds them: each one second after the one before, in list order. */
export function spanRecords({ spans }: GivenTrace): readonly SpanRecord[] {
  return spans.map((span, position) => recordOf(span, position));
}

const start = BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n;

function recordOf(span: JsonObject, position: number): SpanRecord {
  const from = start + BigInt(position) * 1_000_000_000n;
  const duration = BigInt(Math.round(Number(span.duration_ms ?? 1) * 1_000_000));
  const { span_id, name, ...rest } = span as unknown as SpanRecord & { duration_ms?: number };
  const { duration_ms: _duration, ...kept } = rest;
  return {
    ...kept,
    ...(kept.events !== undefined && { events: kept.events.map((event) => ({ ...event, unix_nano: String(from) })) }),
    span_id: span_id ?? String(position + 1).padStart(16, '0'),
    name: name ?? 'span',
    start_unix_nano: String(from),
    end_unix_nano: String(from + duration),
  };
}
