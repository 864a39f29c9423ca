import { metrics } from '#contract/aws-names.ts';
import { sweepOverdue } from '#service/submit/sweep.ts';
import { stores } from './compose/host.ts';
import { countMetric, log } from './compose/system.ts';

/** Once a minute: whatever is overdue, was never stored or was left behind. */
export async function handler(): Promise<void> {
  await Promise.all([
    count(metrics.overdueExecutions, () => sweepOverdue(stores)),
    count(metrics.spooledResults, () =>
      stores.spool.drain((tenant, execution) => stores.executions.storeSettled(tenant, execution)),
    ),
    count(metrics.abandonedDeclarations, () => stores.sweepOperations()),
  ]);
}

/** One part that fails must not keep the others from their work; the function's alarm rings all the same. */
async function count(metric: string, sweep: () => Promise<number>): Promise<void> {
  try {
    countMetric(metric, await sweep());
  } catch (error) {
    log.error('a part of the sweep failed', { metric });
    throw error;
  }
}
