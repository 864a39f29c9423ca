/**
 * Conditions of the writes that move an execution through its states (docs/spec/background.md §1.1), each with the states
 * it admits. `#status` stands for a reserved word.
 */
export const statusName = { '#status': 'status' } as const;

/** Admits `pending`: never claimed. */
const isPending = '#status = :pending';
/** Admits `retrying` whose wait is over. */
const isDueAgain = '(#status = :retrying AND due_at <= :now)';
/** Admits what a worker may take. */
export const isClaimable = `${isPending} OR ${isDueAgain}`;
/** Admits `running` under this lease; after a cancel, a settle or a release nothing is. */
export const isHeld = '#status = :running AND lease = :lease';
/** Admits `running` whose lease ended: its worker is gone, or late. */
export const isLapsed = '#status = :running AND due_at < :now';
/** Admits every state that is not settled. */
export const isOpen = '#status IN (:pending, :retrying, :running)';
/** Admits no execution that is there, in whatever state. */
export const isNew = 'attribute_not_exists(pk)';

export const openStates = { ':pending': 'pending', ':retrying': 'retrying', ':running': 'running' } as const;
