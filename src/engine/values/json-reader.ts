import type { Json } from '#contract/json.ts';

export interface ReadLimits {
  /** Containers inside each other, the root counted. */
  readonly maxDepth: number;
  /**
   * `safe`: integer literals within ±(2^53−1) (evidence, §3.3). `exact`: those that a double holds exactly (cards, §1.6).
   * `any`: whatever a double comes near to. Default `safe`.
   */
  readonly integers?: 'safe' | 'exact' | 'any';
  /** Whether a repeated key is refused or the last one wins. Default refuse. */
  readonly duplicates?: 'refuse' | 'last';
}

type JsonFaultReason = 'syntax' | 'duplicate_key' | 'lone_surrogate' | 'unsafe_integer' | 'number_range' | 'depth';

interface JsonFault {
  readonly ok: false;
  readonly reason: JsonFaultReason;
  /** JSON Pointer of the value, or of the repeated member. */
  readonly pointer: string;
  /** UTF-16 offset in the text. */
  readonly offset: number;
  /** English, without any value of the text. */
  readonly message: string;
}

export type JsonReading = { readonly ok: true; readonly value: Json } | JsonFault;

type Frame =
  | { readonly kind: 'list'; readonly items: Json[] }
  | {
      readonly kind: 'object';
      readonly members: Record<string, Json> /** Null between a member and the next name. */;
      name: string | null;
    };

interface Cursor {
  readonly text: string;
  readonly limits: ReadLimits;
  at: number;
  readonly stack: Frame[];
  fault: JsonFault | undefined;
}

const messages: Readonly<Record<JsonFaultReason, string>> = {
  syntax: 'not JSON',
  duplicate_key: 'a key occurs twice in one object',
  lone_surrogate: 'text with half of a surrogate pair',
  unsafe_integer: 'an integer that a double does not hold exactly',
  number_range: 'a number beyond the double range',
  depth: 'nested too deep',
};

const numberToken = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const firstDigits = /^-?[0-9]{1,16}$/;

/**
 * Reads one JSON text strictly, in one linear pass and without recursion: ten thousand open brackets are a `depth` fault,
 * not a stack overflow. The first fault in the order of the text is the answer.
 */
export function readJson(text: string, limits: ReadLimits): JsonReading {
  const cursor: Cursor = { text, limits, at: 0, stack: [], fault: undefined };
  for (;;) {
    let value = readStart(cursor);
    if (cursor.fault !== undefined) return cursor.fault;
    while (value !== undefined) {
      const frame = cursor.stack.at(-1);
      if (frame === undefined) return finish(cursor, value);
      addTo(frame, value);
      value = afterMember(cursor, frame);
      if (cursor.fault !== undefined) return cursor.fault;
    }
  }
}

function finish(cursor: Cursor, value: Json): JsonReading {
  skipSpace(cursor);
  return cursor.at === cursor.text.length ? { ok: true, value } : fail(cursor, 'syntax');
}

/** A whole scalar or empty container; undefined when a container has been opened, or on a fault. */
function readStart(cursor: Cursor): Json | undefined {
  skipSpace(cursor);
  switch (cursor.text[cursor.at]) {
    case '{':
      return openObject(cursor);
    case '[':
      return openList(cursor);
    case '"':
      return readText(cursor);
    case 't':
      return readWord(cursor, 'true', true);
    case 'f':
      return readWord(cursor, 'false', false);
    case 'n':
      return readWord(cursor, 'null', null);
    default:
      return readNumber(cursor);
  }
}

function openObject(cursor: Cursor): Json | undefined {
  if (cursor.stack.length >= cursor.limits.maxDepth) return refuse(cursor, 'depth');
  cursor.at += 1;
  skipSpace(cursor);
  if (cursor.text[cursor.at] === '}') {
    cursor.at += 1;
    return {};
  }
  const frame: Frame = { kind: 'object', members: {}, name: null };
  cursor.stack.push(frame);
  readName(cursor, frame);
  return undefined;
}

function openList(cursor: Cursor): Json | undefined {
  if (cursor.stack.length >= cursor.limits.maxDepth) return refuse(cursor, 'depth');
  cursor.at += 1;
  skipSpace(cursor);
  if (cursor.text[cursor.at] === ']') {
    cursor.at += 1;
    return [];
  }
  cursor.stack.push({ kind: 'list', items: [] });
  return undefined;
}

/** The finished container when it closes here; undefined after a comma, or on a fault. */
function afterMember(cursor: Cursor, frame: Frame): Json | undefined {
  skipSpace(cursor);
  const next = cursor.text[cursor.at];
  if (next === ',') {
    cursor.at += 1;
    if (frame.kind === 'object') {
      skipSpace(cursor);
      readName(cursor, frame);
    }
    return undefined;
  }
  if (next !== (frame.kind === 'list' ? ']' : '}')) return refuse(cursor, 'syntax');
  cursor.at += 1;
  cursor.stack.pop();
  return frame.kind === 'list' ? frame.items : frame.members;
}

function readName(cursor: Cursor, frame: Extract<Frame, { kind: 'object' }>): void {
  const start = cursor.at;
  frame.name = null;
  if (cursor.text[start] !== '"') {
    refuse(cursor, 'syntax');
    return;
  }
  const name = readText(cursor);
  if (name === undefined) return;
  frame.name = name;
  if (cursor.limits.duplicates !== 'last' && Object.hasOwn(frame.members, name)) {
    cursor.at = start;
    refuse(cursor, 'duplicate_key');
    return;
  }
  skipSpace(cursor);
  if (cursor.text[cursor.at] === ':') cursor.at += 1;
  else refuse(cursor, 'syntax');
}

function addTo(frame: Frame, value: Json): void {
  if (frame.kind === 'list') {
    frame.items.push(value);
    return;
  }
  const name = frame.name ?? '';
  if (name !== '__proto__') frame.members[name] = value;
  // Assignment would set the prototype of the object instead of making a member.
  else
    Object.defineProperty(frame.members, '__proto__', { value, enumerable: true, configurable: true, writable: true });
}

function readText(cursor: Cursor): string | undefined {
  const { text, at: start } = cursor;
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end, start)) end = text.indexOf('"', end + 1);
  if (end === -1) return refuse(cursor, 'syntax');
  const value = decodeText(text.slice(start, end + 1));
  if (value === undefined) return refuse(cursor, 'syntax');
  if (!value.isWellFormed()) return refuse(cursor, 'lone_surrogate');
  cursor.at = end + 1;
  return value;
}

/** An odd number of backslashes stands before `quote`. Each run belongs to one quote, so all calls together are linear. */
export function isEscaped(text: string, quote: number, start: number): boolean {
  let at = quote - 1;
  while (at > start && text.charCodeAt(at) === 0x5c) at -= 1;
  return (quote - 1 - at) % 2 === 1;
}

function decodeText(literal: string): string | undefined {
  try {
    const value: unknown = JSON.parse(literal);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function readWord(cursor: Cursor, word: string, value: boolean | null): Json | undefined {
  if (!cursor.text.startsWith(word, cursor.at)) return refuse(cursor, 'syntax');
  cursor.at += word.length;
  return value;
}

function readNumber(cursor: Cursor): number | undefined {
  numberToken.lastIndex = cursor.at;
  const match = numberToken.exec(cursor.text);
  if (match === null) return refuse(cursor, 'syntax');
  const value = Number(match[0]);
  if (!Number.isFinite(value)) return refuse(cursor, 'number_range');
  const isInteger = match[1] === undefined && match[2] === undefined;
  if (isInteger && !isHeld(match[0], value, cursor.limits.integers ?? 'safe')) return refuse(cursor, 'unsafe_integer');
  cursor.at += match[0].length;
  return value;
}

function isHeld(literal: string, value: number, integers: 'safe' | 'exact' | 'any'): boolean {
  if (integers === 'any') return true;
  if (firstDigits.test(literal) && Number.isSafeInteger(value)) return true;
  // A finite double has at most 309 digits, so this stays cheap.
  return integers === 'exact' && BigInt(literal) === BigInt(value);
}

function skipSpace(cursor: Cursor): void {
  const { text } = cursor;
  let at = cursor.at;
  for (;;) {
    const unit = text.charCodeAt(at);
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) break;
    at += 1;
  }
  cursor.at = at;
}

function refuse(cursor: Cursor, reason: JsonFaultReason): undefined {
  cursor.fault = fail(cursor, reason);
  return undefined;
}

function fail(cursor: Cursor, reason: JsonFaultReason): JsonFault {
  return {
    ok: false,
    reason,
    pointer: cursor.stack.map(pointerPart).join(''),
    offset: cursor.at,
    message: messages[reason],
  };
}

function pointerPart(frame: Frame): string {
  if (frame.kind === 'list') return `/${frame.items.length}`;
  return frame.name === null ? '' : `/${escaped(frame.name)}`;
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
