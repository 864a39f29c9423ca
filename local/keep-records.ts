import type { HostPorts } from '#service/ports/host.ts';
import type { Clock, Log } from '#service/ports.ts';

const secondMs = 1_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Signs what waits, closes checkpoints, compares log and store, and forgets what is too old, until the signal aborts. */
export async function keepRecords(ports: HostPorts, stopping: AbortSignal): Promise<void> {
  let audited = -1;
  await Promise.all([
    every(5 * secondMs, ports, stopping, async () => {
      const { signPending } = await import('#service/records/sign-pending.ts');
      const late = await signPending(ports);
      if (late > 0) ports.log.error('records are unsigned for more than five minutes', { records: late });
    }),
    every(30 * secondMs, ports, stopping, async () => {
      const { closeHour } = await import('#service/records/close-checkpoint.ts');
      await closeHour(ports);
    }),
    every(hourMs, ports, stopping, async () => {
      const today = Math.floor(ports.clock.now() / dayMs);
      if (today === audited) return;
      const { auditLogs } = await import('#service/records/audit-log.ts');
      await auditLogs(ports);
      audited = today;
    }),
    every(hourMs, ports, stopping, async () => {
      const { expireOld } = await import('#service/records/retain.ts');
      await expireOld(ports);
    }),
  ]);
}

/** Waits first: a host that has just started has its first calls to answer. */
async function every(
  pauseMs: number,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  stopping: AbortSignal,
  work: () => Promise<unknown>,
): Promise<void> {
  for (;;) {
    await clock.sleep(pauseMs, stopping).catch(() => undefined);
    if (stopping.aborted) return;
    try {
      await work();
    } catch (error) {
      log.error('keeping of records failed', { error: error instanceof Error ? error.message : 'unknown' });
    }
  }
}
