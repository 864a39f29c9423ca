/** Numbers of background executions (docs/spec/background.md §1.4, §2.6). Times are milliseconds. */
const attemptMs = 300_000;
/** Longer than one attempt, and never renewed. */
export const leaseMs = 360_000;
export const maxAttempts = 3;
/** How long an attempt tries to store what it found. */
export const publicationMs = 30_000;
/** Unsettled executions of one tenant. */
export const maxUnsettled = 1_000;
/** A `pending` execution older than this lost its start; the sweep starts it. */
export const lostStartMs = 60_000;

/** Pause after the attempt of this number failed. */
export function pauseAfter(attempt: number): number {
  return attempt === 1 ? 5_000 : 30_000;
}

/** The end of an attempt, from its lease: the same for whoever holds it. */
export function deadlineOf(leaseUntil: number): number {
  return leaseUntil - leaseMs + attemptMs;
}
