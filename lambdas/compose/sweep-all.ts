import { metrics } from '#contract/aws-names.ts';
import { type RingPorts, ringDue } from '#service/alarms/ring-due.ts';
import { type ClosePorts, closeHour } from '#service/records/close-checkpoint.ts';
import { type SignPendingPorts, signPending } from '#service/records/sign-pending.ts';
import { type SweepPorts, sweepOverdue } from '#service/submit/sweep.ts';
import { type DrainPorts, drainSpool } from '#service/verify/drain-spool.ts';
import type { CountMetric, MetricName } from './count-metric.ts';

export interface SweepAllPorts extends SweepPorts, RingPorts, DrainPorts, SignPendingPorts, ClosePorts {
  readonly sweepOperations: () => Promise<number>;
}

/**
 * Whatever is overdue, was never stored or was left behind. A part that fails keeps no other from its work; the call
 * fails all the same, when all are done, so that the function's alarm rings.
 */
export async function sweepAll(ports: SweepAllPorts, count: CountMetric): Promise<void> {
  const parts: readonly (readonly [MetricName, () => Promise<number>])[] = [
    [metrics.overdueExecutions, () => sweepOverdue(ports)],
    [metrics.overdueRows, () => ringRows(ports, count)],
    [metrics.spooledResults, () => drainSpool(ports)],
    [metrics.abandonedDeclarations, ports.sweepOperations],
    [metrics.unsignedRecords, () => signPending(ports)],
    [metrics.unclosedLogs, () => closeHour(ports)],
  ];
  const swept = await Promise.allSettled(
    parts.map(async ([metric, sweep]) => {
      try {
        count(metric, await sweep());
      } catch (error) {
        ports.log.error('a part of the sweep failed', {
          metric,
          error: error instanceof Error ? error.name : 'unknown',
        });
        throw error;
      }
    }),
  );
  for (const part of swept) if (part.status === 'rejected') throw part.reason;
}

/** One row that fails keeps no other from being rung, and the call from failing: an alarm of its own counts these. */
async function ringRows(ports: RingPorts, count: CountMetric): Promise<number> {
  let failed = 0;
  const due = await ringDue(ports, () => {
    failed += 1;
  });
  count(metrics.failedRows, failed);
  return due;
}
