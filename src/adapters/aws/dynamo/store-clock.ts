import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The time that a store's answers carry, beside our own. */
export interface StoreClock {
  /** Milliseconds that our clock is ahead of the store's, by its last answer; null before the first one. */
  ahead(): number | null;
}

/** Watches every answer of this client. `now` is the clock that is judged, in milliseconds. */
export function watchStoreClock(dynamo: DynamoDBDocumentClient, now: () => number): StoreClock {
  let ahead: number | null = null;
  dynamo.middlewareStack.add(
    (next) => async (args) => {
      const answer = await next(args);
      const date = dateOf(answer.response);
      if (date !== null) ahead = now() - date;
      return answer;
    },
    { step: 'deserialize', priority: 'low' },
  );
  return { ahead: () => ahead };
}

/** The `Date` header, which has a precision of a second: its middle is the best guess. */
function dateOf(response: unknown): number | null {
  const headers = (response as { readonly headers?: Readonly<Record<string, string>> } | undefined)?.headers;
  const at = Date.parse(headers?.date ?? '');
  return Number.isNaN(at) ? null : at + 500;
}
