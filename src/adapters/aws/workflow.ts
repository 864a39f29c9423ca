import { type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { AttemptInput } from '#contract/aws-names.ts';
import type { Workflow } from '#service/ports/attempts.ts';
import { errorName, toStoreFailure } from './store-call.ts';

/** A machine that ended without a claim is replaced by one other in so many milliseconds, however many sweeps there are. */
const replaceMs = 120_000;

/**
 * Starts a state machine an attempt, named `<execution id>-<attempt>`: the name is taken for 90 days, so a second start of
 * an attempt is a no-op also after the first one has ended (docs/spec/background.md §10). One that a sweep finds ended
 * before it claimed its attempt, or that is of a time before the store was restored, is replaced by
 * `<execution id>-<attempt>-<number of the two minutes>`.
 */
export function stepFunctionsWorkflow(sfn: SFNClient, stateMachineArn: string): Workflow {
  /** False: a machine of this name has ended. One that runs is the same start. */
  const isStarted = async (input: AttemptInput, name: string): Promise<boolean> => {
    try {
      await sfn.send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }));
      return true;
    } catch (error) {
      if (errorName(error) === 'ExecutionAlreadyExists') return false;
      throw toStoreFailure('start of work', error);
    }
  };
  return {
    async start(tenant, executionId, attempt, overdue) {
      const input: AttemptInput = { tenant, execution_id: executionId, attempt };
      const name = `${executionId}-${attempt}`;
      if ((await isStarted(input, name)) || overdue === undefined) return;
      await isStarted(input, `${name}-${Math.floor(overdue / replaceMs)}`);
    },
  };
}
