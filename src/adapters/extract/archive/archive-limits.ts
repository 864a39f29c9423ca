import { ExtractFailure } from '../extract-failure.ts';

/** Limits of a container (docs/spec/verification.md §4.3). */
const maxEntries = 10_000;
const maxInflated = 200 * 1024 * 1024;
const maxRatio = 100;

export function unreadable(reason: string, cause?: unknown): ExtractFailure {
  return new ExtractFailure(reason, { code: 'extract_unreadable', cause });
}

export function overLimit(reason: string, cause?: unknown): ExtractFailure {
  return new ExtractFailure(reason, { code: 'extract_limit', cause });
}

export function checkEntryCount(count: number): void {
  if (count > maxEntries) throw overLimit('the container has over 10,000 entries');
}

/** What a container may still inflate to. Counts what came out: declared sizes are the container's own claims. */
export interface InflateBudget {
  readonly left: () => number;
  readonly take: (bytes: number) => void;
}

export function inflateBudget(containerBytes: number): InflateBudget {
  let left = Math.min(maxInflated, maxRatio * containerBytes);
  return {
    left: () => left,
    take: (bytes) => {
      left -= bytes;
      if (left < 0) throw tooLarge();
    },
  };
}

export interface InflateOptions {
  readonly maxOutputLength: number;
}

/** Runs one inflation that stops as soon as it exceeds what is left. */
export function inflateWithin(budget: InflateBudget, inflate: (options: InflateOptions) => Uint8Array): Uint8Array {
  try {
    return counted(budget, inflate({ maxOutputLength: budget.left() + 1 }));
  } catch (cause) {
    throw toFailure(cause);
  }
}

/** The same where other work goes on meanwhile. */
export async function inflateAside(
  budget: InflateBudget,
  inflate: (options: InflateOptions) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  try {
    return counted(budget, await inflate({ maxOutputLength: budget.left() + 1 }));
  } catch (cause) {
    throw toFailure(cause);
  }
}

function counted(budget: InflateBudget, bytes: Uint8Array): Uint8Array {
  budget.take(bytes.byteLength);
  return bytes;
}

function toFailure(cause: unknown): ExtractFailure {
  if (cause instanceof ExtractFailure) return cause;
  return isTooLarge(cause) ? tooLarge(cause) : unreadable('the container is broken', cause);
}

export function isTooLarge(cause: unknown): boolean {
  return cause instanceof RangeError && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE';
}

function tooLarge(cause?: unknown): ExtractFailure {
  return overLimit('the container inflates to over 200 MiB or 100 times its size', cause);
}
