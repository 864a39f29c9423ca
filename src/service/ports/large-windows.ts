import type { FeatureValue, WindowLook } from './observations.ts';

/**
 * Windows of more rows than one function counts (docs/spec/background.md §10): read in ranges, dealt out by record, and
 * counted in shares. What each part leaves for the next is a piece.
 */
export interface LargeWindows {
  /** Rows that one function takes; a window of no more is counted at one go. */
  readonly part_rows: number;
  readonly ranges: WindowRanges;
  readonly pieces: WindowPieces;
}

/** Batches that were ingested one after another. */
export interface WindowRange {
  /** Of the first and of the last batch, as the store knows them. */
  readonly from: string;
  readonly to: string;
  readonly rows: number;
}

export interface IngestedRow {
  readonly record_id: string;
  /** Text whose order is that of `created_at`. */
  readonly order: string;
  readonly features: readonly (readonly [name: string, value: FeatureValue])[];
}

export interface WindowRanges {
  /** The whole window in ranges of at most so many rows each, or of one batch; no row is read. */
  of(tenant: string, look: WindowLook, mostRows: number): Promise<readonly WindowRange[]>;
  /** In the order of ingest. */
  rows(
    tenant: string,
    subject: string,
    range: WindowRange,
    signal?: AbortSignal,
  ): AsyncIterable<readonly IngestedRow[]>;
}

/** One check of one attempt of an execution. */
export interface PiecePlace {
  readonly tenant: string;
  readonly execution_id: string;
  readonly attempt: number;
  readonly work_id: string;
}

/** Bytes that are nobody's soon after the attempt. A piece written twice is the same bytes. */
export interface WindowPieces {
  put(place: PiecePlace, name: string, bytes: Uint8Array): Promise<void>;
  /** `from` up to and without `to`, or to the end of the piece when that comes first. Null: there is none. */
  read(
    place: PiecePlace,
    name: string,
    span?: { readonly from: number; readonly to: number },
  ): Promise<Uint8Array | null>;
  names(place: PiecePlace): Promise<ReadonlySet<string>>;
}
