/** The media formats of docs/spec/verification.md §3.1. */
export const mediaFormats = [
  'png',
  'jpeg',
  'gif',
  'webp',
  'pdf',
  'text',
  'markdown',
  'csv',
  'json',
  'html',
  'docx',
  'xlsx',
  'pptx',
  'doc',
  'xls',
  'ppt',
  'tar_gz',
  'zip',
] as const;

export type MediaFormat = (typeof mediaFormats)[number];

/** The registered MIME type of each format: what is written when a type has to be named. */
export const mimeTypes: Readonly<Record<MediaFormat, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
  text: 'text/plain',
  markdown: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
  html: 'text/html',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  doc: 'application/msword',
  xls: 'application/vnd.ms-excel',
  ppt: 'application/vnd.ms-powerpoint',
  tar_gz: 'application/gzip',
  zip: 'application/zip',
};

/** Other spellings accepted when read, never written. */
const aliases: Readonly<Record<string, MediaFormat>> = {
  jpg: 'jpeg',
  txt: 'text',
  md: 'markdown',
  htm: 'html',
  tgz: 'tar_gz',
  'tar.gz': 'tar_gz',
  'application/x-gzip': 'tar_gz',
  'application/x-tar+gzip': 'tar_gz',
  'application/x-zip-compressed': 'zip',
};

const spellings: ReadonlyMap<string, MediaFormat> = new Map([
  ...mediaFormats.map((format) => [format, format] as const),
  ...mediaFormats.map((format) => [mimeTypes[format], format] as const),
  ...Object.entries(aliases),
]);

/**
 * The format that a text names: its own name, an extension or a MIME type without parameters, in any case and trimmed
 * (docs/spec/verification.md §3.1). `undefined` for every other text.
 */
export function toMediaFormat(text: string): MediaFormat | undefined {
  return text.length > 256 ? undefined : spellings.get(text.trim().toLowerCase());
}

/** What a model prompt takes natively: as an image block or as a document block (verification.md §3.1, §4.4). */
export const nativeKinds: Readonly<Partial<Record<MediaFormat, 'image' | 'document'>>> = {
  png: 'image',
  jpeg: 'image',
  gif: 'image',
  webp: 'image',
  pdf: 'document',
  text: 'document',
};

/** Formats of the `extract` action (verification.md §4.3). */
const extractableFormats = [
  'pdf',
  'pptx',
  'docx',
  'xlsx',
  'csv',
  'json',
  'text',
  'markdown',
  'html',
] as const satisfies readonly MediaFormat[];

export type ExtractableFormat = (typeof extractableFormats)[number];

export function isExtractable(format: MediaFormat): format is ExtractableFormat {
  return (extractableFormats as readonly MediaFormat[]).includes(format);
}
