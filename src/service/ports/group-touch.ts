/** One group of one `group_end` binding (docs/spec/background.md §5). */
export interface GroupPlace {
  readonly binding_id: string;
  readonly group_id: string;
}

/** Acknowledged evidence of a group, written in the transaction that acknowledges it (§5.5, §5.7 rows 1–3, 16). */
export interface GroupTouch extends GroupPlace {
  readonly member: GroupMember;
  /** Never makes the group due earlier than it is. Null: visible, but no activity (row 15). */
  readonly due_at: number | null;
}

export interface GroupMember {
  readonly execution_id: string;
  readonly verifier_uid: string;
}
