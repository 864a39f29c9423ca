import type { JsonObject } from './json.ts';

/** The table that clients record samples in (docs/spec/wire.md §9.1–§9.3). */
export const observationsTable = 'vala.drift.observations';

const utf8 = 'Utf8';
const field = (name: string, data_type: JsonObject[string], nullable = true): JsonObject => ({
  name,
  data_type,
  nullable,
});

/** Rows are tall: one a feature, sharing `record_id`. */
const userFields = [
  field('record_id', utf8, false),
  field('series', utf8, false),
  field('num_value', 'Float64'),
  field('str_value', utf8),
  field('session_id', utf8),
  field('created_at', { Timestamp: { unit: 'Microsecond', tz: '+00:00' } }, false),
];

/** Clients 0.3 refuse a table that has more than they know. */
const laterFields = [
  'service_name',
  'service_version',
  'deployment_environment',
  'subject_kind',
  'subject_name',
  'subject_version',
].map((name) => field(name, utf8));

const correlationFields = [field('card_uid', utf8), field('run_id', utf8)];

/** The table never changes: one identity, one moment, and a fingerprint that clients only compare. */
const entry: JsonObject = {
  namespace: 'vala.drift',
  name: 'observations',
  table_uid: '01980000-0000-7000-8000-000000000001',
  status: 'Active',
  fingerprint: '6f1d9c3e5b7a48209d1c4e6f8a0b2c3d4e5f60718293a4b5c6d7e8f901234567',
  registered_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
};

/** Clients 0.3 need the granularity of partitions, and clients 0.4 refuse it (docs/spec/wire.md §9.2). */
export function observationsTableDescription(client: '0.3' | '0.4'): JsonObject {
  return {
    entry,
    table_version: 1,
    user_fields: client === '0.3' ? userFields : [...userFields, ...laterFields],
    correlation_fields: correlationFields,
    physical_layout: {
      ...(client === '0.3' ? { partition_granularity: 'hour' } : {}),
      time_column: 'wyrd_ingested_at',
      sort_keys: [{ column: 'wyrd_ingested_at', direction: 'desc', null_order: 'last' }],
      bloom_columns: [],
    },
  };
}
