import type { Json, JsonObject } from '#contract/json.ts';

/** The tables that `bifrost.*` shows (docs/spec/verification.md §4.4). */
export const recordedTables = ['traces.spans', 'vala.drift.observations'] as const;
export type RecordedTable = (typeof recordedTables)[number];

export interface Column {
  readonly name: string;
  /** `json`: its JSON text, for SQLite's JSON functions. Times are RFC 3339 text. */
  readonly type: 'text' | 'integer' | 'real' | 'json';
}

/** What a tenant's stores recorded, as rows; live, so never pinned evidence. Throws when a store fails. */
export interface RecordedRows {
  /** Newest first; members are named as the columns. */
  read(tenant: string, table: RecordedTable, wanted: WantedRows, signal: AbortSignal): Promise<readonly JsonObject[]>;
}

export interface WantedRows {
  readonly most: number;
  /** Trace ids that come first, however old. */
  readonly named: readonly string[];
}

export interface TableRows {
  readonly name: RecordedTable;
  readonly columns: readonly Column[];
  readonly rows: readonly JsonObject[];
}

export type QueryReply =
  | {
      readonly kind: 'rows';
      readonly columns: readonly string[];
      readonly rows: readonly (readonly Json[])[];
      /** There are more than `most`. */
      readonly truncated: boolean;
    }
  /** `refused`: not one SELECT over these tables; the message is the engine's own. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'too_long' }
  | { readonly kind: 'failed' };

/** One SELECT over rows that were read before. Reaches nothing else: no files, no network, no other tables. */
export interface TableQueries {
  query(
    tables: readonly TableRows[],
    sql: string,
    bounds: { readonly most: number; readonly timeout_ms: number },
    signal: AbortSignal,
  ): Promise<QueryReply>;
}
