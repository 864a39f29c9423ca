import type { MediaFormat } from '#contract/formats.ts';
import type { Json } from '#contract/json.ts';
import type { Locator } from '#contract/result.ts';
import type { ValueOrigin } from '#engine/run/work.ts';
import { pointedLines } from './pointed-lines.ts';

/** Locators of the lines `start` to `end` of a file, counted from 1; undefined for a line that cannot be cited. */
export type LinePlaces = (start: number, end: number) => readonly (Locator | undefined)[];

const bySourceLine: ReadonlySet<MediaFormat> = new Set(['text', 'markdown', 'csv', 'html']);

/** Nothing in such a file can be cited, or nothing more exact than what the slot is (docs/spec/verification.md §5.3). */
export const noPlaces: LinePlaces = () => [];

export function placesOfFile(format: MediaFormat | null): LinePlaces {
  if (format !== null && bySourceLine.has(format)) {
    return (start, end) => numbers(start, end).map((line) => ({ lines: { start: line, end: line } }));
  }
  if (format === 'json') return (start, end) => numbers(start, end).map(() => ({ json_pointer: '' }));
  return noPlaces;
}

export function placesOfValue(value: Json, origin: ValueOrigin | undefined): LinePlaces {
  if (origin === undefined) return noPlaces;
  return (start, end) => {
    const places: (Locator | undefined)[] = [];
    let line = 0;
    for (const pointer of pointedLines(value, origin.pointer)) {
      line += 1;
      if (line > end) break;
      if (line >= start) places.push(placeAt(pointer, origin.extracted));
    }
    return places;
  };
}

/** A place in an extract output is a place in the file: a page, a slide, a block (docs/spec/verification.md §5.3). */
function placeAt(pointer: string, extracted: MediaFormat | undefined): Locator | undefined {
  switch (extracted) {
    case undefined:
    case 'docx':
    case 'xlsx':
      return { json_pointer: pointer };
    case 'pdf':
      return numbered(pointer, /^\/pages\/(\d+)/u, (page) => ({ page }));
    case 'pptx':
      return numbered(pointer, /^\/slides\/(\d+)/u, (slide) => ({ slide }));
    case 'json':
      return /^\/value(?:\/|$)/u.test(pointer) ? { json_pointer: pointer.slice('/value'.length) } : undefined;
    default:
      return undefined;
  }
}

function numbered(pointer: string, form: RegExp, locator: (number: number) => Locator): Locator | undefined {
  const index = form.exec(pointer)?.[1];
  return index === undefined ? undefined : locator(Number(index) + 1);
}

function numbers(start: number, end: number): readonly number[] {
  return Array.from({ length: Math.max(0, end - start + 1) }, (_, index) => start + index);
}
