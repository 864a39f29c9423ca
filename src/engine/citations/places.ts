import type { Json, JsonObject } from '#contract/json.ts';
import type { Citation, Locator } from '#contract/result.ts';
import { normalizeText } from '../operators/index.ts';
import type { Places } from '../run/work.ts';
import { compact } from '../values/canonical.ts';
import { resolvePointer } from './resolve-pointer.ts';

/** Whether the cited place exists, and holds the quote where one is given (docs/spec/verification.md §5.3, §17). */
export function citationHolds(places: Places, citation: Citation): boolean {
  const text = textAt(places, citation.locator);
  if (text === null) return false;
  if (citation.quote === undefined) return true;
  return normalizeText('visible', text()).includes(normalizeText('visible', citation.quote));
}

/** The text of a place, computed only when a quote is looked for; null = no such place. Each kind has its own locators. */
function textAt(places: Places, locator: Locator): (() => string) | null {
  switch (places.kind) {
    case 'pages':
      if ('page' in locator) return itemAt(places.texts, locator.page);
      return 'region' in locator ? itemAt(places.texts, locator.region.page) : null;
    case 'slides':
      return 'slide' in locator ? slideAt(places.slides, locator.slide) : null;
    case 'text':
      return 'lines' in locator ? linesAt(places.text, locator.lines) : null;
    case 'value':
      return 'json_pointer' in locator ? valueAt(places.value, locator.json_pointer, false) : null;
    case 'document':
      return 'json_pointer' in locator ? valueAt(places.output, locator.json_pointer, true) : null;
    case 'none':
      return null;
  }
}

function itemAt(texts: readonly string[], position: number): (() => string) | null {
  const text = texts[position - 1];
  return text === undefined ? null : () => text;
}

function slideAt(slides: readonly Json[], position: number): (() => string) | null {
  const slide = slides[position - 1];
  return slide === undefined ? null : () => textsIn(slide).join('\n');
}

/** A line ends at `\n` or `\r\n`; a final line end makes no further line; an empty text has no line. */
function linesAt(text: string, { start, end }: { start: number; end: number }): (() => string) | null {
  if (start < 1 || end < start) return null;
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return end > lines.length ? null : () => lines.slice(start - 1, end).join('\n');
}

function valueAt(value: Json, pointer: string, extracted: boolean): (() => string) | null {
  const place = resolvePointer(value, pointer);
  if (place === null) return null;
  // In an extract output only content can be cited: its tags are ours, not the document's.
  if (
    extracted &&
    place.members.some((name, depth) => name === 'kind' || name === 'style' || (depth === 0 && name === 'format'))
  )
    return null;
  return () => (typeof place.value === 'string' ? place.value : compact(place.value));
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return (Array.isArray(value) ? value : Object.values(value)).flatMap(textsIn);
}

/**
 * The places of a file from what `extract` made of it (verification.md §4.3, §5.3). Null for csv: its lines are those
 * of the source text, which the rows no longer show.
 */
export function placesOfExtraction(output: Json): Places | null {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return null;
  const document = output as JsonObject;
  switch (document.format) {
    case 'pdf':
      return { kind: 'pages', texts: listAt(document, 'pages').map(textOfPage) };
    case 'pptx':
      return { kind: 'slides', slides: listAt(document, 'slides') };
    case 'text':
    case 'markdown':
    case 'html':
      return typeof document.text === 'string' ? { kind: 'text', text: document.text } : null;
    case 'json':
      return { kind: 'value', value: document.value ?? null };
    case 'docx':
    case 'xlsx':
      return { kind: 'document', output };
    default:
      return null;
  }
}

function listAt(document: JsonObject, name: string): readonly Json[] {
  const list = document[name];
  return Array.isArray(list) ? list : [];
}

function textOfPage(page: Json): string {
  const text = typeof page === 'object' && page !== null && !Array.isArray(page) ? (page as JsonObject).text : '';
  return typeof text === 'string' ? text : '';
}
