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

/** Runs one inflation that stops as soon as it exceeds what is left. */
export function inflateWithin(
  budget: InflateBudget,
  inflate: (options: { readonly maxOutputLength: number }) => Uint8Array,
): Uint8Array {
  try {
    const bytes = inflate({ maxOutputLength: budget.left() + 1 });
    budget.take(bytes.byteLength);
    return bytes;
  } catch (cause) {
    if (cause instanceof ExtractFailure) throw cause;
    if (isTooLarge(cause)) throw tooLarge(cause);
    throw unreadable('the container is broken', cause);
  }
}

export function isTooLarge(cause: unknown): boolean {
  return cause instanceof RangeError && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE';
}

function tooLarge(cause?: unknown): ExtractFailure {
  return overLimit('the container inflates to over 200 MiB or 100 times its size', cause);
}
