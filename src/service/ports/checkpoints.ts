import type { Envelope } from '#contract/record.ts';
import type { Page, PageRequest } from './page.ts';

/** One record as the tenant's log holds it (docs/spec/records.md §2). */
export interface Leaf {
  readonly execution_id: string;
  /** RFC 3339. */
  readonly ended_at: string;
  /** Lower hex SHA-256 of the payload bytes. */
  readonly sha256: string;
}

/** Which records a checkpoint adds, and what it says besides the tree. */
export interface Closing {
  /** Of the checkpoint before: its number, its size and the digest of its payload; null for the first. */
  readonly before: Pick<LoggedCheckpoint, 'number' | 'size' | 'sha256'> | null;
  /** RFC 3339. */
  readonly opened_at: string;
  readonly closed_at: string;
  /** In the order of the tree. */
  readonly leaves: readonly Leaf[];
  /** Whether these are all that were open; false: there were more than a checkpoint takes. */
  readonly is_whole: boolean;
}

export interface LoggedCheckpoint {
  /** 1 for the first of a tenant, and on without a gap. */
  readonly number: number;
  readonly size: number;
  /** RFC 3339. */
  readonly closed_at: string;
  /** Lower hex SHA-256 of the payload bytes. */
  readonly sha256: string;
  readonly envelope: Envelope;
}

/** 256 hashes of one level of the tree (levels 0, 8, 16, …), or fewer at its right end; 32 bytes each. */
export interface Tile extends TilePlace {
  readonly hashes: Uint8Array;
}

export interface TilePlace {
  /** 0 for leaves, 1 for nodes over 256 leaves, and so on. */
  readonly level: number;
  readonly position: number;
}

export interface OpenLook {
  /** RFC 3339. */
  readonly ended_by: string;
  readonly limit: number;
  readonly thorough: boolean;
}

/** The append-only log of a tenant's records: leaves, tree and checkpoints. */
export interface Checkpoints {
  /** Tenants that have records or checkpoints. */
  tenants(): Promise<readonly string[]>;
  last(tenant: string): Promise<LoggedCheckpoint | null>;
  /** The first checkpoint with more leaves than `index`; null while there is none. */
  firstOver(tenant: string, index: number): Promise<LoggedCheckpoint | null>;
  /** The first or the last checkpoint of exactly this size. */
  ofSize(tenant: string, size: number, which: 'first' | 'last'): Promise<LoggedCheckpoint | null>;
  /** Newest first. */
  list(tenant: string, page: PageRequest): Promise<Page<LoggedCheckpoint>>;
  /**
   * Committed records that are in no checkpoint and ended by then, by (`ended_at`, execution id). `thorough` looks again at
   * commits of the last two days, where a store finds them by an index that may lag.
   */
  open(tenant: string, look: OpenLook): Promise<readonly Leaf[]>;
  /**
   * Decides what the next checkpoint adds. Answers the decision that stands, which may be that of another process which
   * began before: whoever goes on, carries out that one.
   */
  begin(tenant: string, closing: Closing): Promise<Closing>;
  /** Tiles, leaves and checkpoint, durable when it resolves. False: another process has appended it. */
  append(tenant: string, closing: Closing, checkpoint: LoggedCheckpoint, tiles: readonly Tile[]): Promise<boolean>;
  /** Those that are there, in no order; each is asked for once. A tile may hold more hashes than when it was asked for before, never others. */
  tiles(tenant: string, places: readonly TilePlace[]): Promise<readonly Tile[]>;
  /** Null while no checkpoint holds it. */
  indexOf(tenant: string, executionId: string): Promise<number | null>;
  /** What the store's records and the log do not agree on: ids and digests of committed records by their place. */
  compare(tenant: string, look: { readonly from: number; readonly limit: number }): Promise<Comparison>;
}

export interface Comparison {
  /** Digests of stored records by their index, from `from` on; null: the log has a leaf, the store no record. */
  readonly leaves: readonly { readonly index: number; readonly sha256: string | null }[];
  /** Where the next comparison goes on; null at the end. */
  readonly next: number | null;
}
