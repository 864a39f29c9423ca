import type { Clock } from '#service/ports.ts';

export interface ControlledClock extends Clock {
  /** Moves on, letting everything that wakes up on the way run before the next does. */
  advance(ms: number): Promise<void>;
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** A clock that stands still until a test moves it. */
export function controlledClock(start: number): ControlledClock {
  let now = start;
  const sleepers = new Set<Sleeper>();
  return {
    now: () => now,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const abort = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const wake = () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', abort);
          resolve();
        };
        const sleeper = { at: now + ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', abort);
      });
    },
    async advance(ms) {
      const until = now + ms;
      for (;;) {
        await othersRan();
        const [next] = [...sleepers].filter(({ at }) => at <= until).sort((left, right) => left.at - right.at);
        if (next === undefined) break;
        now = Math.max(now, next.at);
        next.wake();
      }
      now = until;
      await othersRan();
    },
  };
}

/** Commits and their answers take a few turns of the event loop. */
async function othersRan(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
