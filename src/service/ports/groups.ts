import type { VerdictWord } from '#contract/result.ts';
import type { Execution } from './executions.ts';
import type { GroupMember, GroupPlace } from './group-touch.ts';

export interface Group extends GroupPlace {
  /** Milliseconds since the epoch; null: not due. */
  readonly due_at: number | null;
  /** The settled judgment that was admitted last; null before the first. */
  readonly head: GroupHead | null;
}

export interface GroupHead {
  readonly execution_id: string;
  readonly verdict: VerdictWord;
}

/** A judgment as the newest one of its group: written with its settled state, only while `before` is still the head. */
export interface HeadMove extends GroupPlace {
  readonly before: string | null;
  readonly verdict: VerdictWord;
}

export interface Groups {
  find(tenant: string, place: GroupPlace): Promise<Group | null>;
  /** In the order of their ids, `limit` at most. */
  members(tenant: string, place: GroupPlace, limit: number): Promise<readonly GroupMember[]>;
  /**
   * The group is judged: its due time is cleared, and the execution stored (`pending` ones start), in one transaction.
   * False: the due time is no longer that one, and nothing was written (rows 4, 10–12; §11 rows 11, 12).
   */
  judge(tenant: string, place: GroupPlace, dueAt: number, execution: Execution): Promise<boolean>;
}

/** As `Due.id` names a group. A binding id is a UUID: 36 characters. */
export function groupDueId({ binding_id, group_id }: GroupPlace): string {
  return `${binding_id}#${group_id}`;
}

export function groupOfDueId(id: string): GroupPlace {
  return { binding_id: id.slice(0, 36), group_id: id.slice(37) };
}
