/** A store that cannot do its work now (disk full, locked, gone): never the caller's fault. */
const storeFailureName = 'StoreFailure';

export function storeFailure(message: string, cause: unknown): Error {
  const failure = new Error(message, { cause });
  failure.name = storeFailureName;
  return failure;
}

export function isStoreFailure(error: unknown): error is Error {
  return error instanceof Error && error.name === storeFailureName;
}
