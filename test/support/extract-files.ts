import { afterAll } from 'vitest';
import { createExtract, type ExtractOptions } from '#adapters/extract/extract.ts';
import type { MediaFormat } from '#contract/formats.ts';
import type { ExtractReply } from '#service/ports.ts';

/** One extraction for a test file, ended after it. */
export function useExtract(
  options?: ExtractOptions,
): (format: MediaFormat, bytes: Uint8Array) => Promise<ExtractReply> {
  const extract = createExtract(options);
  afterAll(() => extract.close());
  // A copy: what is posted to a worker may not be a part of a larger buffer.
  return (format, bytes) => extract.extract({ format, bytes: new Uint8Array(bytes) }, new AbortController().signal);
}
