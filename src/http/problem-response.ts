import { isErrorCode, Problem, toProblemDocument } from '#contract/errors.ts';
import { isStoreFailure } from '#service/ports/store-failure.ts';
import type { Log } from '#service/ports.ts';

/** A refusal as `application/problem+json` (docs/spec/wire.md §3). Whatever is no Problem is ours and says nothing about itself. */
export function problemResponse(error: unknown, requestId: string, log: Log): Response {
  const problem = toProblem(error, requestId, log);
  const body = JSON.stringify({ ...toProblemDocument(problem), request_id: requestId });
  const headers = new Headers({
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'wyrd-request-id': requestId,
  });
  const pause = retryAfter(problem);
  if (pause !== null) headers.set('retry-after', pause);
  return new Response(body, { status: problem.status, headers });
}

function toProblem(error: unknown, requestId: string, log: Log): Problem {
  if (error instanceof Problem && isErrorCode(error.code)) {
    if (error.status >= 500)
      log.error('request failed', { request_id: requestId, code: error.code, detail: error.detail });
    return error;
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
  log.error('request failed', { request_id: requestId, error: message });
  if (isStoreFailure(error))
    return new Problem('WYRD_REGISTRY_503_REGISTRY_UNAVAILABLE', 'the store cannot answer now');
  return new Problem('WYRD_SPEC_500_INTERNAL', 'the request failed on our side');
}

/** Seconds: what the problem says itself, else a default for answers that may succeed later. */
function retryAfter(problem: Problem): string | null {
  const asked = problem.details?.retry_after_seconds;
  if (typeof asked === 'number') return String(asked);
  return problem.status === 429 || problem.status === 503 ? '1' : null;
}
