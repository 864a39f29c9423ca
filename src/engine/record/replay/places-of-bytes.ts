import { isExtractable, type MediaFormat, nativeKinds } from '#contract/formats.ts';
import type { Places } from '../../run/work.ts';
import { parseJson } from '../../values/parse-json.ts';

/**
 * The citable places of a held file, for the formats whose text is the file itself (docs/spec/verification.md §4.3, §5.3).
 * Null: they take an extraction, or the file is not of its format.
 */
export function placesOfBytes(format: MediaFormat, bytes: Uint8Array): Places | null {
  if (nativeKinds[format] === 'image') return { kind: 'pages', texts: [''] };
  switch (format) {
    case 'text':
    case 'markdown':
    case 'html':
    case 'csv': {
      const text = decode(bytes);
      return text === null ? null : { kind: 'text', text };
    }
    case 'json': {
      const text = decode(bytes);
      const reading = text === null ? null : parseJson(text, { maxDepth: 128 });
      return reading?.ok === true ? { kind: 'value', value: reading.value } : null;
    }
    default:
      return isExtractable(format) ? null : { kind: 'none' };
  }
}

/** As extraction reads it: strict, and one byte-order mark is no text. */
function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
