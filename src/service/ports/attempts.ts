import type { VerdictWord } from '#contract/result.ts';
import type { Settlement } from '#engine/index.ts';
import type { Consequences } from './consequences.ts';
import type { Execution } from './executions.ts';
import type { GroupTouch } from './group-touch.ts';
import type { IdempotencyRow } from './idempotency.ts';
import type { ExecutionRecord } from './records.ts';

/**
 * The life of a background execution (docs/spec/background.md §1, §2). Every step is a condition of its write, so a slow
 * or repeated worker can only lose, never double. Times are milliseconds since the epoch, of the host that writes.
 */
export interface Attempts {
  /**
   * Execution, inputs, idempotency row and outbox row in one transaction; durable when it resolves. `key_taken`: another
   * call stored this key first and nothing was written; the caller reads the key's row and decides again. `touches`: the
   * groups that its evidence belongs to.
   */
  admit(
    tenant: string,
    execution: Execution,
    idempotency: IdempotencyRow,
    touches?: readonly GroupTouch[],
  ): Promise<'admitted' | 'key_taken'>;
  /** Executions of the tenant that are not settled (§2.6). May count slightly stale rows, never forget one for long. */
  unsettled(tenant: string): Promise<number>;
  /**
   * `pending`, or `retrying` and due: becomes `running` under a new lease. Null: somebody else has it, or it is settled.
   * The same lease again while it is still held gets the same answer and counts no further attempt, so that a step
   * repeated after its write changes nothing.
   */
  claim(tenant: string, executionId: string, claim: Claim): Promise<Claimed | null>;
  /**
   * `running` under this lease and not cancelled: becomes settled with its result and what follows from it. False: nothing
   * was written, since the lease is gone or another judgment has become the head of its group.
   */
  settle(tenant: string, executionId: string, lease: string, settled: Settled): Promise<boolean>;
  /** `running` under this lease: becomes `retrying`, claimable from `not_before`. False: nothing was written. */
  postpone(tenant: string, executionId: string, lease: string, retry: Postponed): Promise<boolean>;
  /**
   * Becomes `cancelled` at once, with the error of §1.2, whatever unsettled state it was in. `flagged` says that it was
   * running: its worker learns it from `isStopped`, and its settle fails. Again on a cancelled one: `settled`.
   */
  cancel(tenant: string, executionId: string, at: string): Promise<'cancelled' | 'flagged' | 'settled' | 'unknown'>;
  /** Whether it is no longer `running` under this lease (cancelled, settled, lapsed and released): its worker stops. */
  isStopped(tenant: string, executionId: string, lease: string): Promise<boolean>;
  /**
   * What a sweep must look at, oldest first, of all tenants: `pending` since before `pendingBefore`, `retrying` and due at
   * `now`, `running` whose lease ended before `now`.
   */
  overdue(look: {
    readonly now: number;
    readonly pendingBefore: number;
    readonly limit: number;
  }): Promise<readonly Overdue[]>;
  /** A running execution whose lease lapsed: back to `retrying`, or `errored` by the caller's choice. False: not so any more. */
  release(tenant: string, executionId: string, release: Released): Promise<boolean>;
}

export interface Claim {
  readonly lease: string;
  readonly now: number;
  readonly lease_until: number;
}

export interface Claimed {
  readonly execution: Execution;
  /** 1 for the first. */
  readonly attempt: number;
  /** As claimed: the deadline of the attempt is counted back from it, the same for whoever claims again. */
  readonly lease_until: number;
}

export interface Settled {
  readonly status: 'completed' | 'errored' | 'timed_out';
  readonly verdict: VerdictWord | null;
  /** JSON text of the result document; only `completed` has one. */
  readonly result: string | null;
  /** Of a completed execution; null otherwise. Written in the same transaction as the state. */
  readonly record: ExecutionRecord | null;
  readonly error: Execution['error'];
  /** RFC 3339. */
  readonly ended_at: string;
  /** Absent: none. */
  readonly consequences?: Consequences;
}

export interface Postponed {
  readonly not_before: number;
  readonly error: NonNullable<Execution['error']>;
  /** False when capacity was refused: the attempt is given back (verification.md §10.9). */
  readonly counts: boolean;
}

export interface Overdue {
  readonly tenant: string;
  readonly execution_id: string;
  readonly status: 'pending' | 'retrying' | 'running';
  /** Attempts made so far. */
  readonly attempts: number;
}

export type Released =
  | { readonly now: number; readonly to: 'retrying'; readonly not_before: number }
  | {
      readonly now: number;
      readonly to: 'errored';
      readonly error: NonNullable<Execution['error']>;
      readonly ended_at: string;
    };

/** Answers to the work of one attempt, kept by a driver that does not stay in one process (design: state machine). */
export interface WorkResults {
  /** The first answer to (attempt, work, try) stays; a second is dropped. Durable when it resolves. */
  put(tenant: string, place: WorkPlace, settlement: Settlement): Promise<void>;
  /** In the order they were stored. */
  all(tenant: string, executionId: string, attempt: number): Promise<readonly StoredWorkResult[]>;
  /** Deletes what an attempt left; the working state of a settled run is nobody's to read (verification.md §12). */
  clear(tenant: string, executionId: string): Promise<void>;
}

export interface WorkPlace {
  readonly execution_id: string;
  readonly attempt: number;
  readonly work_id: string;
}

export interface StoredWorkResult {
  readonly work_id: string;
  readonly settlement: Settlement;
}

/**
 * Starts the work of an admitted execution. A lost start is made again by the sweep; a second start is a no-op, unless
 * `overdue` says when, in milliseconds, a sweep saw that nobody works on it: then what was started before came to nothing.
 */
export interface Workflow {
  start(tenant: string, executionId: string, attempt: number, overdue?: number): Promise<void>;
}
