import type { RangedFile } from '#service/ports/parquet.ts';

/** Bytes as a file that is read in parts. */
export function fileOf(bytes: Uint8Array): RangedFile {
  return { size_bytes: bytes.byteLength, read: async (from, to) => bytes.subarray(from, to) };
}
