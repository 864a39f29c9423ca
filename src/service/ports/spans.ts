import type { SpanRecord } from '#engine/trace/assemble.ts';

export type { SpanRecord };

/** Spans of one trace that arrived together. */
export interface SpanBatch {
  /** 32 lower hex digits. */
  readonly trace_id: string;
  readonly spans: readonly SpanRecord[];
}

export interface StoredTrace {
  /** In the order in which they arrived. */
  readonly spans: readonly SpanRecord[];
  /** When the last of them arrived, in milliseconds since the epoch. */
  readonly newest_at: number;
  /** More arrived than a trace may hold; they were not kept. */
  readonly is_cut: boolean;
}

/** Spans of a trace that are kept; a trace with more cannot be judged (docs/spec/verification.md §9.2). */
export const mostSpans = 20_000;
/** Bytes of their JSON. */
export const mostSpanBytes = 32 * 1_048_576;

/** Spans as they arrive, by tenant and trace (docs/spec/wire.md §9.6). */
export interface Spans {
  /** Durable when it resolves. A batch that arrives again is kept again: readers count a span once. */
  append(tenant: string, batches: readonly SpanBatch[], at: number): Promise<void>;
  /** Null: no span of it ever arrived. */
  find(tenant: string, traceId: string): Promise<StoredTrace | null>;
  /** Traces whose spans arrived last, newest first, for whoever looks around; may lag. */
  newest(tenant: string, limit: number): Promise<readonly string[]>;
}
