import type { MediaFormat } from '#contract/formats.ts';
import type { JsonObject } from '#contract/json.ts';
import { decodeText } from './decode-text.ts';
import { extractCsv } from './extract-csv.ts';
import { extractJson } from './extract-json.ts';

export type ExtractFormat = (bytes: Uint8Array) => JsonObject;

const sourceText =
  (format: MediaFormat): ExtractFormat =>
  (bytes) => ({ format, text: decodeText(bytes) });

/** The formats that can be extracted; output shapes are those of docs/spec/verification.md §4.3. */
export const extractors: Readonly<Partial<Record<MediaFormat, ExtractFormat>>> = {
  csv: extractCsv,
  json: extractJson,
  text: sourceText('text'),
  markdown: sourceText('markdown'),
  html: sourceText('html'),
};
