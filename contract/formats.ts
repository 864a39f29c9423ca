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
