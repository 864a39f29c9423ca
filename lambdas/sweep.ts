import { metrics } from '#contract/aws-names.ts';
import { rotateTokenKeys } from '#service/auth/rotate-token-keys.ts';
import { sweepOverdue } from '#service/submit/sweep.ts';
import { stores } from './compose/host.ts';
import { countMetric, log } from './compose/system.ts';

/** Once a minute: whatever is overdue, was never stored, was left behind, or is too old. */
export async function handler(): Promise<void> {
  await Promise.all([
    count(metrics.overdueExecutions, () => sweepOverdue(stores)),
    count(metrics.spooledResults, () =>
      stores.spool.drain((tenant, execution) => stores.executions.storeSettled(tenant, execution)),
    ),
    count(metrics.abandonedDeclarations, () => stores.sweepOperations()),
    rotateTokenKeys(stores),
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
