import { type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { AttemptInput } from '#contract/aws-names.ts';
import type { Workflow } from '#service/ports/attempts.ts';
import { errorName, toStoreFailure } from './store-call.ts';

/**
 * Starts a state machine an attempt, named `<execution id>-<attempt>`: the name is taken for 90 days, so a second start of
 * an attempt is a no-op also after the first one has ended (docs/spec/background.md §10).
 */
export function stepFunctionsWorkflow(sfn: SFNClient, stateMachineArn: string): Workflow {
  return {
    async start(tenant, executionId, attempt) {
      const input: AttemptInput = { tenant, execution_id: executionId, attempt };
      try {
        await sfn.send(
          new StartExecutionCommand({
            stateMachineArn,
            name: `${executionId}-${attempt}`,
            input: JSON.stringify(input),
          }),
        );
      } catch (error) {
        if (errorName(error) !== 'ExecutionAlreadyExists') throw toStoreFailure('start of work', error);
      }
    },
  };
}
