import type { ExtractableFormat, MediaFormat } from '#contract/formats.ts';
import type { JsonObject } from '#contract/json.ts';
import { decodeText } from './decode-text.ts';
import { extractCsv } from './extract-csv.ts';
import { extractDocx } from './extract-docx.ts';
import { extractJson } from './extract-json.ts';
import { extractPdf } from './extract-pdf.ts';
import { extractPptx } from './extract-pptx.ts';
import { extractXlsx } from './extract-xlsx.ts';

export type ExtractFormat = (bytes: Uint8Array) => JsonObject | Promise<JsonObject>;

const sourceText =
  (format: MediaFormat): ExtractFormat =>
  (bytes) => ({ format, text: decodeText(bytes) });

/** The formats that can be extracted; output shapes are those of docs/spec/verification.md §4.3. */
export const extractors: Readonly<Record<ExtractableFormat, ExtractFormat>> = {
  pdf: extractPdf,
  pptx: extractPptx,
  docx: extractDocx,
  xlsx: extractXlsx,
  csv: extractCsv,
  json: extractJson,
  text: sourceText('text'),
  markdown: sourceText('markdown'),
  html: sourceText('html'),
};
