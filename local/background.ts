import { workQueue } from '#adapters/embedded/work-queue.ts';
import type { RingPorts } from '#service/alarms/ring-due.ts';
import type { DeliverPorts } from '#service/operators/deliver-dispatch.ts';
import type { Workflow } from '#service/ports/attempts.ts';
import { baselineOfDueId } from '#service/ports/baselines.ts';
import type { Deliver, Deliveries } from '#service/ports/deliver.ts';
import { dispatchDueId, dispatchOfDueId } from '#service/ports/dispatches.ts';
import type { Parquet } from '#service/ports/parquet.ts';
import type { AttemptPorts } from '#service/submit/run-attempt.ts';
import { type SweepPorts, sweepOverdue } from '#service/submit/sweep.ts';
import type { HostConfig } from './config.ts';

/** Background executions of the embedded host: the queue, and the sweep that fills it again. */
export interface Background {
  readonly workflow: Workflow;
  readonly deliveries: Deliveries;
  /** Starts what an earlier process left, then sweeps until the signal aborts. */
  sweep(): Promise<void>;
  /** Takes nothing more; resolves when what runs has ended. */
  close(): Promise<void>;
}

/** The reader is loaded by the first baseline; it ends with the host. */
function lateParquet(stopping: AbortSignal): Parquet {
  return {
    async open(file) {
      const { boundedParquet, longestMs } = await import('#adapters/parquet/read-parquet.ts');
      return boundedParquet({ longest_ms: longestMs, stopping }).open(file);
    },
  };
}

/** A file may keep its reader busy for minutes: one tenant's leaves room for another's. */
const fitsAtOnce = { perHost: 2, perTenant: 1 };

/** How often the sweep looks; also how late an attempt after a pause may start. */
const sweepPauseMs = 1_000;

type BackgroundPorts = AttemptPorts &
  Omit<SweepPorts, 'workflow'> &
  Omit<RingPorts, 'workflow' | 'deliveries' | 'parquet'> &
  Omit<DeliverPorts, 'deliver' | 'providerUrls'>;

export function makeBackground(ports: BackgroundPorts, config: HostConfig, stopping: AbortSignal): Background {
  const deliveries = makeDeliveries(ports, config, stopping);
  const workflow = workQueue({
    perHost: config.limits.background,
    perTenant: config.limits.background_per_tenant,
    async run(tenant, execution_id) {
      try {
        // Engine and compiler are loaded by the first attempt: an idle host stays small.
        const { runAttempt } = await import('#service/submit/run-attempt.ts');
        await runAttempt(ports, { tenant, execution_id }, stopping);
        // What its verdict brought about is delivered at once; everything later is the sweep's.
        for (const { status, ...place } of await ports.dispatches.ofExecution(tenant, execution_id)) {
          if (status === 'pending') await deliveries.start(tenant, place);
        }
      } catch (error) {
        // The store refused; the outbox still has the execution and the sweep finds it.
        ports.log.error('attempt left to the sweep', { execution_id, error: String(error) });
      }
    },
  });
  const parquet = lateParquet(stopping);
  const fits = workQueue({
    ...fitsAtOnce,
    async run(tenant, id) {
      try {
        const { fitBaseline } = await import('#service/drift/fit-baseline.ts');
        await fitBaseline({ ...ports, parquet }, tenant, baselineOfDueId(id));
      } catch (error) {
        // Its lease lapses, and the sweep finds it.
        ports.log.error('fit left to the sweep', { error: error instanceof Error ? error.name : 'unknown' });
      }
    },
  });
  const startFit = (tenant: string, dueId: string) => fits.start(tenant, dueId, 1);
  const sweepPorts = { ...ports, workflow, deliveries, parquet, fits: { start: startFit } };
  return {
    workflow,
    deliveries,
    async sweep() {
      // The store is ours alone, so whatever is pending now was left by an earlier process.
      let pendingBefore: number | undefined = ports.clock.now() + 1;
      while (!stopping.aborted) {
        try {
          await sweepOverdue(sweepPorts, pendingBefore);
          pendingBefore = undefined;
          if (await isAnyDue(ports)) await ringAll(sweepPorts, stopping);
        } catch (error) {
          ports.log.error('sweep failed', { error: String(error) });
        }
        await ports.clock.sleep(sweepPauseMs, stopping).catch(() => undefined);
      }
    },
    async close() {
      await Promise.all([workflow.close(), deliveries.close(), fits.close()]);
    },
  };
}

/** Attempts of deliveries at once; they mostly wait for providers. One tenant's leave room for others'. */
const deliveriesAtOnce = { perHost: 64, perTenant: 32 };

interface QueuedDeliveries extends Deliveries {
  close(): Promise<void>;
}

function makeDeliveries(ports: BackgroundPorts, config: HostConfig, stopping: AbortSignal): QueuedDeliveries {
  let deliver: Deliver | undefined;
  const queue = workQueue({
    ...deliveriesAtOnce,
    async run(tenant, id) {
      try {
        const [{ deliverDispatch }, { createDeliver }] = await Promise.all([
          import('#service/operators/deliver-dispatch.ts'),
          import('#adapters/delivery/deliver.ts'),
        ]);
        deliver ??= createDeliver({ clock: ports.clock, allowLoopback: config.allow_loopback_delivery });
        const own = { ...ports, deliver, providerUrls: config.providers };
        await deliverDispatch(own, tenant, dispatchOfDueId(id), stopping);
      } catch (error) {
        // Its lease lapses, and the sweep finds it.
        ports.log.error('delivery left to the sweep', { error: error instanceof Error ? error.name : 'unknown' });
      }
    },
  });
  return {
    start: (tenant, place) => queue.start(tenant, dispatchDueId(place), 1),
    close: () => queue.close(),
  };
}

/** One look costs little, so an idle host loads nothing for it. */
async function isAnyDue({ clock, dueRows }: Pick<RingPorts, 'clock' | 'dueRows'>): Promise<boolean> {
  return (await dueRows.due({ now: clock.now(), limit: 1 })).length > 0;
}

/** All that is due, a thousand rows a look. */
async function ringAll(ports: RingPorts, stopping: AbortSignal): Promise<void> {
  const { ringDue } = await import('#service/alarms/ring-due.ts');
  // Groups whose snapshot is incomplete stay due: they must not keep the loop busy.
  for (let rounds = 0; rounds < 20 && !stopping.aborted; rounds += 1) {
    if ((await ringDue(ports)) < 1_000) return;
  }
}
