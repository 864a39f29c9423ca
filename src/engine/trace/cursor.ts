import type { Path } from './selector.ts';

/** A place in a selector text. Parsers move it and give undefined where the text is not of the dialect. */
export interface Cursor {
  readonly text: string;
  at: number;
  /** Open filters and parentheses, so that a text of brackets cannot exhaust the stack. */
  depth: number;
  /** Parses a path inside a filter; given here because paths and filters hold each other. */
  readonly parsePath: (cursor: Cursor) => Path | undefined;
}

const maxDepth = 48;

export function take(cursor: Cursor, token: string): boolean {
  if (!cursor.text.startsWith(token, cursor.at)) return false;
  cursor.at += token.length;
  return true;
}

export function skipSpaces(cursor: Cursor): void {
  while (cursor.text[cursor.at] === ' ') cursor.at += 1;
}

/** A token with spaces around it. */
export function takeSpaced(cursor: Cursor, token: string): boolean {
  skipSpaces(cursor);
  if (!take(cursor, token)) return false;
  skipSpaces(cursor);
  return true;
}

/** `pattern` must be sticky. */
export function takeMatch(cursor: Cursor, pattern: RegExp): string | undefined {
  pattern.lastIndex = cursor.at;
  const match = pattern.exec(cursor.text);
  if (match === null) return undefined;
  cursor.at += match[0].length;
  return match[0];
}

/** A text in single or double quotes. There are no escapes: a backslash stays one. */
export function takeText(cursor: Cursor): string | undefined {
  const quote = cursor.text[cursor.at];
  if (quote !== "'" && quote !== '"') return undefined;
  const end = cursor.text.indexOf(quote, cursor.at + 1);
  if (end === -1) return undefined;
  const text = cursor.text.slice(cursor.at + 1, end);
  cursor.at = end + 1;
  return text;
}

/** Parses one level deeper; undefined when that is too deep. */
export function inside<Parsed>(cursor: Cursor, parse: (cursor: Cursor) => Parsed | undefined): Parsed | undefined {
  if (cursor.depth >= maxDepth) return undefined;
  cursor.depth += 1;
  const parsed = parse(cursor);
  cursor.depth -= 1;
  return parsed;
}

/** One or more of something, separated by commas. */
export function takeList<Item>(cursor: Cursor, takeItem: (cursor: Cursor) => Item | undefined): Item[] | undefined {
  const items: Item[] = [];
  do {
    const item = takeItem(cursor);
    if (item === undefined) return undefined;
    items.push(item);
  } while (takeSpaced(cursor, ','));
  return items;
}
