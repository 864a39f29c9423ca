import { constants, inflateSync } from 'node:zlib';
import { isTooLarge, overLimit } from '../archive/archive-limits.ts';

/** What one stream of a PDF may inflate to, as for a container (docs/spec/verification.md §4.3). */
const maxStreamBytes = 200 * 1024 * 1024;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Refuses a PDF with a stream that inflates without end, before the reader, which has no bound of its own, meets it.
 * Streams packed twice or in other ways are left to the bounds of memory and time.
 * @throws ExtractFailure `extract_limit`
 */
export function checkStreams(file: Buffer): void {
  for (let at = file.indexOf('stream'); at !== -1; at = file.indexOf('stream', at + 6)) {
    const start = startOfData(file, at + 6);
    if (start !== null && isDeflated(file, start)) checkStream(file.subarray(start));
  }
}

function startOfData(file: Buffer, at: number): number | null {
  if (file[at] === lineFeed) return at + 1;
  return file[at] === carriageReturn ? at + (file[at + 1] === lineFeed ? 2 : 1) : null;
}

/** The two bytes that begin a zlib stream (RFC 1950 §2.2). */
function isDeflated(file: Buffer, at: number): boolean {
  const [method = 0, flags = 0] = file.subarray(at, at + 2);
  return (method & 0x0f) === 8 && ((method << 8) | flags) % 31 === 0;
}

function checkStream(data: Buffer): void {
  try {
    inflateSync(data, { maxOutputLength: maxStreamBytes, chunkSize: 1 << 20, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (cause) {
    if (isTooLarge(cause)) throw overLimit('a stream of the PDF inflates to over 200 MiB', cause);
    // Broken data is found again, and judged, by whoever reads it.
  }
}
