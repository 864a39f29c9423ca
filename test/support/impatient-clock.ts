import type { Clock } from '#service/ports.ts';

/** Pauses up to a minute take no time at all, though the clock shows them; longer ones last until they are aborted. */
export function impatientClock(start = Date.now()): Clock {
  let now = start;
  return {
    now: () => now,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      if (ms <= 60_000) {
        now += ms;
        return;
      }
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    },
  };
}
