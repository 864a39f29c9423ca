import { constants, inflateSync } from 'node:zlib';
import { isTooLarge, overLimit, unreadable } from '../archive/archive-limits.ts';

/** What one stream of a PDF may inflate to, as for a container (docs/spec/verification.md §4.3). */
const maxStreamBytes = 200 * 1024 * 1024;
const maxDictionaryBytes = 4_096;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Inflates each deflated stream of a PDF once, for what its reader does not do: the reader inflates without bound, and
 * takes a broken stream for an empty or a shorter one. Streams packed twice or in other ways are left to the bounds of
 * memory and time.
 * @throws ExtractFailure `extract_limit` or `extract_unreadable`
 */
export function checkStreams(file: Buffer): void {
  for (let at = file.indexOf('stream'); at !== -1; at = file.indexOf('stream', at + 6)) {
    const start = startOfData(file, at + 6);
    if (start !== null && isDeflated(file, at)) checkStream(file.subarray(start));
  }
}

/** Null for the word in text, and in `endstream`. */
function startOfData(file: Buffer, at: number): number | null {
  if (file.toString('latin1', at - 9, at - 6) === 'end') return null;
  if (file[at] === lineFeed) return at + 1;
  return file[at] === carriageReturn ? at + (file[at + 1] === lineFeed ? 2 : 1) : null;
}

/** Whether the dictionary before the word names this filter first. */
function isDeflated(file: Buffer, at: number): boolean {
  const before = file.toString('latin1', Math.max(0, at - maxDictionaryBytes), at);
  const dictionary = before.slice(before.lastIndexOf('obj') + 1);
  return /\/Filter\s{0,99}(\[\s{0,99})?\/Fl(ateDecode)?\b/.test(dictionary);
}

function checkStream(data: Buffer): void {
  try {
    inflateSync(data, { maxOutputLength: maxStreamBytes, chunkSize: 1 << 20, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (cause) {
    if (isTooLarge(cause)) throw overLimit('a stream of the PDF inflates to over 200 MiB', cause);
    throw unreadable('a stream of the PDF is broken', cause);
  }
}
