/** What rings at a time of its own (docs/spec/background.md §10, alarms). */
export type DueKind = 'occurrence' | 'group' | 'dispatch' | 'baseline';

/**
 * A row whose time has come. `id`: the binding of an occurrence, `<binding>#<group>` of a group, `<execution>#<dispatch>` of a dispatch,
 * `<verifier>#<requirement>` of a baseline. It only
 * finds: the row decides, by the condition of the write that follows.
 */
export interface Due {
  readonly tenant: string;
  readonly kind: DueKind;
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly due_at: number;
}

export interface DueRows {
  /** Due at `now`, oldest first, of all tenants; at most `limit` of one kind, so that none of them waits for another. */
  due(look: { readonly now: number; readonly limit: number }): Promise<readonly Due[]>;
}

/**
 * Wakes whoever rings what is due. It may be early, late or lost: a row that is not due is looked at again at its time, and
 * a sweep finds what nobody was woken for.
 */
export interface Alarms {
  /** Rings once at or after `due.due_at`; setting the same row again replaces it. */
  set(due: Due): Promise<void>;
}
