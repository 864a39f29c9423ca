/** The right to run one call; released once. */
export interface Turn {
  readonly release: () => void;
}

export interface Turns {
  /** `busy` when too many wait, or when waiting took longer than the patience: the caller asks again later. */
  take(signal: AbortSignal): Promise<Turn | 'busy' | 'cancelled'>;
}

/**
 * Lets so many calls run at a time, in the order they came. A caller that waits behind slow code for longer than
 * `patienceMs` is refused capacity while it can still be told (docs/spec/verification.md §10.9), in place of running into
 * its deadline.
 */
export function createTurns(running: number, queue: number, patienceMs: number): Turns {
  const waiting: (() => void)[] = [];
  let free = running;
  const turn: Turn = {
    release: () => {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
  return {
    take: async (signal) => {
      if (signal.aborted) return 'cancelled';
      if (free > 0) {
        free -= 1;
        return turn;
      }
      if (waiting.length >= queue) return 'busy';
      const mine = Promise.withResolvers<Turn | 'busy' | 'cancelled'>();
      const enter = () => mine.resolve(turn);
      const leave = (answer: 'busy' | 'cancelled') => {
        const place = waiting.indexOf(enter);
        if (place < 0) return;
        waiting.splice(place, 1);
        mine.resolve(answer);
      };
      const abort = () => leave('cancelled');
      waiting.push(enter);
      const timer = setTimeout(() => leave('busy'), patienceMs);
      signal.addEventListener('abort', abort, { once: true });
      const taken = await mine.promise;
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      return taken;
    },
  };
}
