import type { Json } from '#contract/json.ts';
import { checkPattern } from '../values/regex.ts';
import { type Cursor, inside, skipSpaces, take, takeList, takeMatch, takeSpaced, takeText } from './cursor.ts';
import type { Operand, Sign, Test } from './selector.ts';

/** The expression of a filter: `||` of `&&` of negated or plain tests. */
export function parseTest(cursor: Cursor): Test | undefined {
  return parseChain(cursor, '||', 'or', (place) => parseChain(place, '&&', 'and', parseNegated));
}

function parseChain(
  cursor: Cursor,
  token: string,
  kind: 'or' | 'and',
  parse: (cursor: Cursor) => Test | undefined,
): Test | undefined {
  const tests: Test[] = [];
  do {
    const test = parse(cursor);
    if (test === undefined) return undefined;
    tests.push(test);
  } while (takeSpaced(cursor, token));
  const [first] = tests;
  return tests.length === 1 ? first : { kind, tests };
}

/** `!` negates the whole comparison after it. */
function parseNegated(cursor: Cursor): Test | undefined {
  skipSpaces(cursor);
  let isNegated = false;
  while (cursor.text[cursor.at] === '!' && cursor.text[cursor.at + 1] !== '=') {
    cursor.at += 1;
    skipSpaces(cursor);
    isNegated = !isNegated;
  }
  const test = take(cursor, '(') ? parseGroup(cursor) : parseComparison(cursor);
  return test !== undefined && isNegated ? { kind: 'not', test } : test;
}

function parseGroup(cursor: Cursor): Test | undefined {
  const test = inside(cursor, parseTest);
  skipSpaces(cursor);
  return take(cursor, ')') ? test : undefined;
}

const signs: readonly Sign[] = ['==', '!=', '<=', '>=', '<', '>'];

function parseComparison(cursor: Cursor): Test | undefined {
  const left = parseOperand(cursor);
  if (left === undefined) return undefined;
  if (takeSpaced(cursor, '~=')) return parseSearch(cursor, left);
  const sign = signs.find((token) => takeSpaced(cursor, token));
  if (sign !== undefined) {
    const right = parseOperand(cursor);
    return right === undefined ? undefined : { kind: 'compare', sign, left, right };
  }
  const word = takeMatch(cursor, /n?in(?![a-zA-Z0-9_-])/y);
  if (word !== undefined) return parseMembership(cursor, left, word === 'nin');
  return left.kind === 'path' ? { kind: 'exists', path: left.path } : undefined;
}

/** The pattern is a text of the selector, never of the trace, and is checked here. */
function parseSearch(cursor: Cursor, left: Operand): Test | undefined {
  const pattern = takeText(cursor);
  return pattern === undefined || !checkPattern(pattern).ok ? undefined : { kind: 'search', left, pattern };
}

function parseMembership(cursor: Cursor, left: Operand, negated: boolean): Test | undefined {
  skipSpaces(cursor);
  if (cursor.text[cursor.at] !== '[') {
    const path = cursor.parsePath(cursor);
    return path === undefined ? undefined : { kind: 'in', negated, left, right: { kind: 'path', path } };
  }
  cursor.at += 1;
  skipSpaces(cursor);
  const isText = cursor.text[cursor.at] === "'" || cursor.text[cursor.at] === '"';
  const members: Json[] | undefined = isText ? takeList(cursor, takeText) : takeList(cursor, takeNumber);
  skipSpaces(cursor);
  return members === undefined || !take(cursor, ']')
    ? undefined
    : { kind: 'in', negated, left, right: { kind: 'list', members } };
}

const words: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

function parseOperand(cursor: Cursor): Operand | undefined {
  const path = cursor.parsePath(cursor);
  if (path !== undefined) return { kind: 'path', path };
  const value = takeText(cursor) ?? takeNumber(cursor) ?? takeWord(cursor);
  return value === undefined ? undefined : { kind: 'literal', values: [value] };
}

function takeNumber(cursor: Cursor): number | undefined {
  const digits = takeMatch(cursor, /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![a-zA-Z0-9_])/y);
  const value = Number(digits);
  return digits === undefined || !Number.isFinite(value) ? undefined : value;
}

function takeWord(cursor: Cursor): boolean | null | undefined {
  const word = takeMatch(cursor, /(?:true|false|null)(?![a-zA-Z0-9_-])/y);
  return word === undefined ? undefined : words.get(word);
}
