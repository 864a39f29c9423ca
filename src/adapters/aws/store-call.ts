import { isStoreFailure, storeFailure } from '#service/ports/store-failure.ts';

/** An item as the document client reads and writes it. */
export type Item = Record<string, unknown>;

/**
 * One call to AWS. Whatever goes wrong beyond the SDK's own retries (throttling, faults, time) is a StoreFailure; only an
 * aborted call keeps its own reason.
 */
export async function storeCall<Result>(what: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw toStoreFailure(what, error);
  }
}

export function toStoreFailure(what: string, error: unknown): Error {
  if (isStoreFailure(error)) return error;
  if (error instanceof Error && error.name === 'AbortError') return error;
  return storeFailure(`${what}: ${errorName(error)}`, error);
}

/** The exception's name as the service declares it. SDK classes may be loaded twice, so instances are not compared. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown error';
}
