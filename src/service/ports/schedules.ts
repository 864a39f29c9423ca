import type { Execution } from './executions.ts';

/** When a scheduled binding is looked at next (docs/spec/background.md §4). Times are milliseconds since the epoch. */
export interface Schedule {
  readonly binding_id: string;
  /** The occurrence that is waited for. */
  readonly next_at: number;
}

/** What became of one occurrence, or of a group that was due (§3.6, §4.4). */
export interface Occurrence {
  /** RFC 3339: of the schedule's occurrence, or when the group was due. */
  readonly at: string;
  readonly status: 'admitted' | 'errored' | 'skipped_inactive' | 'skipped_unready' | 'missed';
  readonly execution_id: string | null;
  readonly group_id: string | null;
}

/** How many of a binding are kept (§3.6). */
export const occurrencesKept = 100;

/** Samples that were accepted before a boundary are readable this long after it (§4.6). */
export const settlingMs = 5_000;

export interface Schedules {
  find(tenant: string, bindingId: string): Promise<Schedule | null>;
  /**
   * On to the next occurrence (null: none any more), with what became of those before and the execution that one of them
   * admits, in one transaction. False: it waits for another one by now, and nothing was written (§4.7).
   */
  advance(tenant: string, bindingId: string, step: ScheduleStep): Promise<boolean>;
  /** Newest first, `occurrencesKept` at most: of schedules and of groups. */
  occurrences(tenant: string, bindingId: string): Promise<readonly Occurrence[]>;
}

export interface ScheduleStep {
  readonly from: number;
  readonly to: number | null;
  readonly occurrences: readonly Occurrence[];
  readonly execution: Execution | null;
}
