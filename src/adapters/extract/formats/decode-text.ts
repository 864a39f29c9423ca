import { ExtractFailure } from '../extract-failure.ts';

/** Limit of extracted text (docs/spec/verification.md §4.3). */
const maxTextBytes = 10 * 1024 * 1024;

/** UTF-8, strictly; one leading byte-order mark removed; otherwise unchanged, line ends kept. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes.byteLength > maxTextBytes) throw new ExtractFailure('the text is above 10 MiB', { code: 'extract_limit' });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ExtractFailure('the file is not UTF-8 text', { code: 'extract_unreadable', cause });
  }
}
