import { enqueuedSchema, executionStateSchema } from '#contract/requests/verification.ts';
import { TouchstoneError } from './touchstone-error.ts';
import type { Transport, TransportOptions } from './transport.ts';
import { uuidV7 } from './uuid-v7.ts';
import type { ExecuteRequest, ExecutionState } from './verification.ts';

export interface WaitOptions {
  /** Milliseconds until it gives up; 60,000 unless said otherwise. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Pauses between two looks (docs/spec/wire.md §6.6). */
const pauseMs = { first: 100, longest: 2_000 };
const settledStates: ReadonlySet<string> = new Set(['completed', 'cancelled', 'timed_out', 'errored']);

/** Submitting, and waiting for what was submitted (docs/spec/wire.md §6.3, §6.6). */
export function backgroundCalls(transport: Transport, options: Pick<TransportOptions, 'sleep' | 'now'>) {
  const sleep = options.sleep ?? ((ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)));
  const now = options.now ?? Date.now;
  const getState = async (executionId: string): Promise<ExecutionState> => {
    const path = `/v1/verification/executions/${encodeURIComponent(executionId)}`;
    const answer: unknown = await transport.call({ method: 'GET', path, repeatable: true }, executionStateSchema);
    return answer as ExecutionState;
  };
  return {
    /** Durable when it answers. Repeated safely: one key stands for the submission, a new one unless `key` names it. */
    enqueue(request: ExecuteRequest, key?: string): Promise<{ readonly execution_id: string }> {
      return transport.call(
        {
          method: 'POST',
          path: '/v1/verification/enqueue',
          headers: {
            'content-type': 'application/json',
            'idempotency-key': key ?? `verification-submit-${uuidV7()}`,
          },
          body: JSON.stringify(request),
          repeatable: true,
        },
        enqueuedSchema,
      );
    },
    /** The state once it is settled, whatever it says. `TOUCHSTONE_CLIENT_TIMEOUT` when it takes longer. */
    async waitForExecution(
      executionId: string,
      { timeoutMs = 60_000, signal }: WaitOptions = {},
    ): Promise<ExecutionState> {
      const until = now() + timeoutMs;
      for (let pause = pauseMs.first; ; pause = Math.min(pause * 2, pauseMs.longest)) {
        signal?.throwIfAborted();
        const state = await getState(executionId).catch(goOn);
        if (state !== null && isDone(state)) return state;
        if (now() + pause > until) throw notDone(executionId, timeoutMs);
        await sleep(pause);
      }
    },
    /** Answers the state; `TOUCHSTONE_409_NOT_CANCELLABLE` when it is settled. */
    async cancelExecution(executionId: string): Promise<ExecutionState> {
      const path = `/v1/verification/executions/${encodeURIComponent(executionId)}/cancel`;
      const answer: unknown = await transport.call({ method: 'POST', path, repeatable: false }, executionStateSchema);
      return answer as ExecutionState;
    },
  };
}

/** `completed` whose result is not visible yet is looked at again (docs/spec/wire.md §6.6). */
function isDone({ status, result }: ExecutionState): boolean {
  return settledStates.has(status) && (status !== 'completed' || result !== undefined);
}

/** Not visible yet, or a service in trouble: the next look may see it. */
function goOn(error: unknown): null {
  if (error instanceof TouchstoneError && (error.status === 404 || error.status === 0 || error.status >= 500))
    return null;
  throw error;
}

function notDone(executionId: string, timeoutMs: number): TouchstoneError {
  const detail = `execution ${executionId} is not settled after ${timeoutMs / 1_000} s`;
  return new TouchstoneError({ code: 'TOUCHSTONE_CLIENT_TIMEOUT', status: 0, detail });
}
