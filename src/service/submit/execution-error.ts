import { type ErrorCode, errors, Problem } from '#contract/errors.ts';

/** What a failed execution says about itself (docs/spec/background.md §1.2). */
export interface ExecutionError {
  readonly code: ErrorCode;
  readonly message: string;
}

const maxMessage = 1_000;

export function executionError(code: ErrorCode, message: string): ExecutionError {
  return { code, message: [...message].slice(0, maxMessage).join('') };
}

export const lostWorker = executionError('WYRD_SPEC_500_INTERNAL', 'the worker did not end its attempt in time');

export const timedOut = executionError(
  'WYRD_VERIFICATION_504_EXECUTION_TIMED_OUT',
  'an attempt was not done within 300 s',
);

export const notLanded = executionError(
  'WYRD_VERIFICATION_502_DEPENDENCY_FAILED',
  'a trace that the run reads has not landed yet',
);

export const noCapacity = executionError(
  'WYRD_VERIFICATION_429_STAGING_FULL',
  'no capacity for a block of this Verifier',
);

/** Only a Problem's own sentence is shown; any other error may hold evidence or a secret, so it says nothing. */
export function toExecutionError(error: unknown): ExecutionError {
  if (error instanceof Problem) return executionError(error.code, error.detail);
  return executionError('WYRD_SPEC_500_INTERNAL', 'the attempt failed on our side');
}

/** Whether another attempt may go better. */
export function isRetryable({ code }: ExecutionError): boolean {
  return errors[code].retryable;
}
