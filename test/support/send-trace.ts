import type { JsonObject } from '#contract/json.ts';
import type { Spans } from '#service/ports/spans.ts';
import { storeFailure } from '#service/ports/store-failure.ts';
import type { GivenTrace } from './given-evidence.ts';
import { spanRecords } from './span-records.ts';

/** An OTLP/JSON export of a case's trace; null: nothing of it was ever sent. */
export function otlpOf(trace: GivenTrace): JsonObject | null {
  if (trace.state === 'not_found') return null;
  const spans = spanRecords(trace).map((span) => ({
    traceId: trace.trace_id,
    spanId: span.span_id,
    ...(span.parent_span_id && { parentSpanId: span.parent_span_id }),
    name: span.name,
    kind: `SPAN_KIND_${(span.kind ?? 'internal').toUpperCase()}`,
    startTimeUnixNano: span.start_unix_nano,
    endTimeUnixNano: span.end_unix_nano,
    ...(span.status && {
      status: { code: `STATUS_CODE_${span.status.code.toUpperCase()}`, message: span.status.description ?? '' },
    }),
    attributes: pairsOf(span.attributes ?? {}),
    events: (span.events ?? []).map(({ unix_nano, name, attributes = {} }) => ({
      timeUnixNano: unix_nano,
      name,
      attributes: pairsOf(attributes),
    })),
  }));
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] };
}

function pairsOf(attributes: JsonObject): JsonObject[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: unknown): JsonObject {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (typeof value === 'object' && value !== null) return { kvlistValue: { values: pairsOf(value as JsonObject) } };
  return {};
}

/** The store as a case wants it: away, silent, or with spans that go on arriving. */
export function spansInState(spans: Spans, trace: GivenTrace | undefined): Spans {
  const find: Record<string, Spans['find']> = {
    failed: async () => {
      throw storeFailure('scripted', null);
    },
    timeout: () => new Promise(() => {}),
    not_landed: async (tenant, traceId) => {
      const found = await spans.find(tenant, traceId);
      return found && { ...found, newest_at: Date.now() + 3_600_000 };
    },
  };
  // No exporter sends a trace without a span; a store may have lost them.
  const isEmpty = trace !== undefined && trace.spans.length === 0;
  if (isEmpty) return { ...spans, find: async () => ({ spans: [], newest_at: 0, is_cut: false }) };
  return { ...spans, find: find[trace?.state ?? ''] ?? spans.find };
}
