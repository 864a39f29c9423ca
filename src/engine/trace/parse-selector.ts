import { type Cursor, inside, skipSpaces, take, takeList, takeMatch, takeSpaced, takeText } from './cursor.ts';
import { parseTest } from './parse-test.ts';
import { checkSelectorShape, type Path, type Segment, type SpanSelector } from './selector.ts';

export { checkSelectorShape } from './selector.ts';

export type SelectorParse = { readonly ok: true; readonly selector: SpanSelector } | { readonly ok: false };

/** Parses a span selector (docs/spec/verification.md §9.3); `ok: false` is I `jsonpath_invalid`. */
export function parseSelector(text: string): SelectorParse {
  if (!checkSelectorShape(text)) return { ok: false };
  const cursor: Cursor = { text, at: 0, depth: 0, parsePath };
  const path = parsePath(cursor);
  if (path === undefined || path.root !== '$') return { ok: false };
  const length = take(cursor, '.length()');
  return cursor.at === text.length ? { ok: true, selector: { path, length } } : { ok: false };
}

/** `$` or `@` and its segments. Stops before `.length()`, which is no segment. */
function parsePath(cursor: Cursor): Path | undefined {
  const root = take(cursor, '$') ? '$' : take(cursor, '@') ? '@' : undefined;
  if (root === undefined) return undefined;
  const segments: Segment[] = [];
  while (startsSegment(cursor)) {
    const segment = parseSegment(cursor);
    if (segment === undefined) return undefined;
    segments.push(segment);
  }
  return { root, segments };
}

function startsSegment({ text, at }: Cursor): boolean {
  return text[at] === '[' || (text[at] === '.' && !text.startsWith('.length()', at));
}

const name = /[a-zA-Z0-9_-]+/y;
const index = /0|[1-9][0-9]{0,14}/y;
const bound = /-?(?:0|[1-9][0-9]{0,14})/y;

function parseSegment(cursor: Cursor): Segment | undefined {
  if (take(cursor, '..')) return parseDescent(cursor);
  if (take(cursor, '.')) {
    if (take(cursor, '*')) return { kind: 'wildcard' };
    const key = takeMatch(cursor, name);
    return key === undefined ? undefined : { kind: 'keys', keys: [key] };
  }
  cursor.at += 1;
  skipSpaces(cursor);
  const segment = parseBracket(cursor);
  skipSpaces(cursor);
  return take(cursor, ']') ? segment : undefined;
}

function parseDescent(cursor: Cursor): Segment | undefined {
  if (take(cursor, '*')) return { kind: 'descent_all' };
  const bracketed = take(cursor, '[');
  const key = bracketed ? takeText(cursor) : takeMatch(cursor, name);
  if (key === undefined || (bracketed && !take(cursor, ']'))) return undefined;
  return { kind: 'descent', key };
}

function parseBracket(cursor: Cursor): Segment | undefined {
  const { text, at } = cursor;
  switch (text[at]) {
    case '*':
      cursor.at += 1;
      return { kind: 'wildcard' };
    case '?':
      cursor.at += 1;
      return parseFilter(cursor);
    case "'":
    case '"': {
      const keys = takeList(cursor, takeText);
      return keys === undefined ? undefined : { kind: 'keys', keys };
    }
    default:
      return parseSlice(cursor) ?? parseIndexes(cursor, at);
  }
}

/** The parentheses after `?` are required. */
function parseFilter(cursor: Cursor): Segment | undefined {
  skipSpaces(cursor);
  if (!take(cursor, '(')) return undefined;
  const test = inside(cursor, parseTest);
  skipSpaces(cursor);
  return test === undefined || !take(cursor, ')') ? undefined : { kind: 'filter', test };
}

function parseIndexes(cursor: Cursor, start: number): Segment | undefined {
  cursor.at = start;
  const indexes = takeList(cursor, (place) => toNumber(takeMatch(place, index)));
  return indexes === undefined ? undefined : { kind: 'indexes', indexes };
}

function parseSlice(cursor: Cursor): Segment | undefined {
  const start = toNumber(takeMatch(cursor, bound)) ?? null;
  if (!takeSpaced(cursor, ':')) return undefined;
  const end = toNumber(takeMatch(cursor, bound)) ?? null;
  if (!takeSpaced(cursor, ':')) return { kind: 'slice', start, end, step: 1 };
  const step = toNumber(takeMatch(cursor, index));
  return step === undefined || step < 1 ? undefined : { kind: 'slice', start, end, step };
}

function toNumber(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}
