import { type MediaFormat, toMediaFormat } from '#contract/formats.ts';

/** Declared formats in their own names, each once, in declared order. */
export function toFormats(texts: readonly string[]): readonly MediaFormat[] {
  return [...new Set(texts.map(toMediaFormat).filter((format) => format !== undefined))];
}
