/** Threads at once: each takes a core and some 40 MB. */
const atOnce = 2;

interface Waiting {
  readonly tenant: string;
  readonly start: () => void;
}

export interface WindowTurns {
  /** Resolves when it is this tenant's turn, with what ends it. Throws the signal's reason, and then no turn was taken. */
  take(tenant: string, signal?: AbortSignal): Promise<() => void>;
}

/** Two windows at once and one a tenant, first come, first served: whoever has many large windows delays none but himself. */
export function windowTurns(): WindowTurns {
  const running = new Set<string>();
  const waiting: Waiting[] = [];

  const startNext = () => {
    if (running.size >= atOnce) return;
    const index = waiting.findIndex(({ tenant }) => !running.has(tenant));
    const [next] = index < 0 ? [] : waiting.splice(index, 1);
    if (next === undefined) return;
    running.add(next.tenant);
    next.start();
  };

  return {
    async take(tenant, signal) {
      signal?.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          waiting.splice(waiting.indexOf(mine), 1);
          reject(signal?.reason);
        };
        const start = () => {
          signal?.removeEventListener('abort', leave);
          resolve();
        };
        const mine = { tenant, start };
        signal?.addEventListener('abort', leave, { once: true });
        waiting.push(mine);
        startNext();
      });
      return () => {
        running.delete(tenant);
        startNext();
      };
    },
  };
}
