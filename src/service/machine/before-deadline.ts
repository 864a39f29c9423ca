import type { Clock } from '../ports.ts';

/** Null when the deadline (milliseconds since the epoch) passed first; what is still under way is aborted. */
export async function beforeDeadline<Result>(
  clock: Clock,
  deadline: number,
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | null> {
  const stop = new AbortController();
  const left = Math.max(0, deadline - clock.now());
  const late = clock.sleep(left, stop.signal).then(
    () => null,
    () => null,
  );
  try {
    return await Promise.race([act(stop.signal), late]);
  } finally {
    stop.abort(new Error('the deadline passed'));
  }
}
