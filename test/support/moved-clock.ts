import type { Clock } from '#service/ports.ts';

/** The clock stands where the test puts it; stores that stamp their writes use it. */
export interface MovedClock extends Clock {
  set(time: string): void;
}

export function movedClock(): MovedClock {
  let now = 0;
  const set = (time: string) => {
    now = Date.parse(time);
  };
  return { now: () => now, sleep: async () => {}, set };
}
