/** One observation as it was recorded (docs/spec/wire.md §9.5). */
export interface Observation {
  readonly record_id: string;
  readonly subject_card_uid: string;
  readonly run_id: string | null;
  /** RFC 3339, UTC; the client's. */
  readonly created_at: string;
  readonly features: ReadonlyMap<string, FeatureValue>;
}

/** Null: sent as null. Numbers are finite. */
export type FeatureValue = number | string | null;

export interface ObservationBatch {
  /** UUID; the deduplication. */
  readonly batch_id: string;
  /** SHA-256 of what was sent: the same batch again, or another one under its id. */
  readonly sha256: string;
  readonly observations: readonly Observation[];
}

/** What one check is to see of a window (docs/spec/background.md §6.3). */
export interface WindowLook {
  readonly subject_card_uid: string;
  /** Milliseconds since the epoch, of ingest; half-open. */
  readonly from: number;
  readonly to: number;
  readonly features: readonly string[];
}

/** One record of a window: what it carries of the features asked for, the first ingested of each. */
export interface WindowRow {
  readonly record_id: string;
  readonly values: ReadonlyMap<string, FeatureValue>;
}

/** `ingested_at`: milliseconds since the epoch. */
export interface StoredObservation extends Observation {
  readonly ingested_at: number;
}

/** Samples by tenant and subject; the server's time of ingest decides windows. */
export interface Observations {
  /**
   * Durable when it resolves. `at`: the one time of ingest of the whole batch, in milliseconds. The same batch again
   * answers the first time of ingest and stores nothing; null: another batch has that id.
   */
  append(tenant: string, batch: ObservationBatch, at: number): Promise<number | null>;
  /**
   * Records that carry at least one of the features, in row order: by `created_at`, then `record_id`. Read in a stream:
   * a window may hold a million rows.
   */
  window(tenant: string, look: WindowLook, signal?: AbortSignal): AsyncIterable<WindowRow>;
  /** The last ingested, newest first. */
  newest(tenant: string, most: number): Promise<readonly StoredObservation[]>;
}
