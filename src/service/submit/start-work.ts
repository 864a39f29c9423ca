import type { Workflow } from '../ports/attempts.ts';
import type { Log } from '../ports.ts';

/** What was admitted is durable: a start that fails is made again by the sweep, and is no reason to refuse. */
export async function startWork(
  { workflow, log }: { readonly workflow: Workflow; readonly log: Log },
  tenant: string,
  executionId: string,
): Promise<void> {
  try {
    await workflow.start(tenant, executionId, 1);
  } catch (error) {
    log.warn('start lost, the sweep will start it', {
      execution_id: executionId,
      error: error instanceof Error ? error.name : 'unknown',
    });
  }
}
