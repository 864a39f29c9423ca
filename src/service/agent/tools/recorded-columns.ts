import type { Column, RecordedTable } from '../../ports/recorded-tables.ts';

/** Columns of the recorded tables: docs/spec/verification.md §9.2 for spans, docs/spec/wire.md §9.2–§9.5 for observations. */
export const recordedColumns: Readonly<Record<RecordedTable, readonly Column[]>> = {
  'traces.spans': [
    { name: 'trace_id', type: 'text' },
    { name: 'span_id', type: 'text' },
    { name: 'parent_span_id', type: 'text' },
    { name: 'name', type: 'text' },
    { name: 'kind', type: 'text' },
    { name: 'start_time', type: 'text' },
    { name: 'end_time', type: 'text' },
    { name: 'duration_ms', type: 'integer' },
    { name: 'status_code', type: 'text' },
    { name: 'status_description', type: 'text' },
    { name: 'attributes', type: 'json' },
    { name: 'events', type: 'json' },
    { name: 'links', type: 'json' },
  ],
  'vala.drift.observations': [
    { name: 'record_id', type: 'text' },
    { name: 'series', type: 'text' },
    { name: 'num_value', type: 'real' },
    { name: 'str_value', type: 'text' },
    { name: 'session_id', type: 'text' },
    { name: 'card_uid', type: 'text' },
    { name: 'run_id', type: 'text' },
    { name: 'created_at', type: 'text' },
    { name: 'ingested_at', type: 'text' },
  ],
};
