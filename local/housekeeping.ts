import type { Clock, Log } from '#service/ports.ts';
import { type DrainPorts, drainSpool } from '#service/verify/drain-spool.ts';

export interface HousekeepingPorts extends DrainPorts {
  readonly clock: Clock;
  readonly log: Log;
  /** Forgets lapsed rows; answers how many. */
  readonly purge: (now: number) => Promise<number>;
}

/** How often results that the store refused are tried again. */
const spoolPauseMs = 5_000;
/** How often lapsed keys and upload sessions are forgotten. */
const purgePauseMs = 3_600_000;

/** Keeps the embedded store in order until the signal aborts. */
export async function keepHouse(ports: HousekeepingPorts, stopping: AbortSignal): Promise<void> {
  const again = async (pauseMs: number, what: string, work: () => Promise<number>) => {
    while (!stopping.aborted) {
      try {
        await work();
      } catch (error) {
        ports.log.error(`${what} failed`, { error: error instanceof Error ? error.name : 'unknown' });
      }
      await ports.clock.sleep(pauseMs, stopping).catch(() => undefined);
    }
  };
  await Promise.all([
    again(spoolPauseMs, 'draining the spool', () => drainSpool(ports)),
    again(purgePauseMs, 'forgetting what lapsed', () => ports.purge(ports.clock.now())),
  ]);
}
