import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from 'aws-lambda';
import { z } from 'zod';
import type { JsonObject } from '#contract/json.ts';

const calls = new AsyncLocalStorage<JsonObject>();

/** What every log line of the call under way carries: the platform's id of it, and the execution it works on. */
export function idsOfCall(): JsonObject {
  return calls.getStore() ?? {};
}

export function inCall<Result>(ids: JsonObject, run: () => Result): Result {
  return calls.run(ids, run);
}

const reference = z.object({ execution_id: z.string().max(64) });
/** Calls of the state machine's steps (contract/machine.ts), as far as this looks at them. */
const stepSchema = z.union([z.object({ input: reference }), z.object({ place: reference })]);

/** A handler whose log lines say which call wrote them, and of which execution if the event names one. */
export function identified<Result>(
  handle: (event: unknown) => Promise<Result>,
): (event: unknown, context: Pick<Context, 'awsRequestId'>) => Promise<Result> {
  return (event, context) =>
    inCall({ aws_request_id: context.awsRequestId, ...executionOf(event) }, () => handle(event));
}

function executionOf(event: unknown): JsonObject {
  const { data } = stepSchema.safeParse(event);
  if (data === undefined) return {};
  return { execution_id: 'input' in data ? data.input.execution_id : data.place.execution_id };
}
