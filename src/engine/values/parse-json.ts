import type { Json } from '#contract/json.ts';
import { isEscaped, type JsonReading, type ReadLimits, readJson } from './json-reader.ts';

export { checkJsonValue } from './check-json-value.ts';

/**
 * Parses a JSON text under the rules of docs/spec/verification.md §3.3: duplicate keys, lone surrogates (also escaped
 * ones), unsafe integers, numbers beyond the double range and too deep nesting are faults with a reason, a JSON Pointer
 * and an offset. Cards pass `integers: 'exact'` (§1.6).
 *
 * Most texts take the fast way: one cheap scan, then the runtime's own parser, then a count of members that only a
 * repeated key can upset. Whatever that way is not sure of is read by the strict reader, which alone words faults.
 */
export function parseJson(text: string, limits: ReadLimits): JsonReading {
  return parseQuickly(text, limits) ?? readJson(text, limits);
}

/** `is_json` (§7.2): as serde_json reads it. Duplicate keys and big integers are fine. */
export function isJsonText(text: string): boolean {
  const limits = { maxDepth: 127, integers: 'any', duplicates: 'last' } as const;
  return (parseQuickly(text, limits) ?? readJson(text, limits)).ok;
}

/** The recursion of `countMembers` stays inside any stack. */
const maxQuickDepth = 512;
const quote = 0x22;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const surrogateEscape = /\\u[dD][89a-fA-F]/;

function parseQuickly(text: string, limits: ReadLimits): JsonReading | undefined {
  if (limits.maxDepth > maxQuickDepth || !text.isWellFormed()) return undefined;
  const hasEscapes = text.includes('\\');
  if (hasEscapes && surrogateEscape.test(text)) return undefined;
  const members = scan(text, limits.maxDepth, hasEscapes);
  if (members === -1) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return limits.duplicates === 'last' || countMembers(value) === members ? { ok: true, value } : undefined;
  } catch {
    return undefined;
  }
}

/** Counts the members of all objects by their colons; −1 when the text needs the strict reader. */
function scan(text: string, maxDepth: number, hasEscapes: boolean): number {
  let depth = 0;
  let members = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfText(text, at, hasEscapes);
        if (at === -1) return -1;
        break;
      case colon:
        members += 1;
        break;
      case openBrace:
      case openBracket:
        depth += 1;
        if (depth > maxDepth) return -1;
        break;
      case closeBrace:
      case closeBracket:
        depth -= 1;
        break;
      default:
        at = endOfPlainNumber(text, at);
        if (at === -1) return -1;
    }
  }
  return members;
}

/** Offset of the closing quote, or −1. */
function endOfText(text: string, start: number, hasEscapes: boolean): number {
  let end = text.indexOf('"', start + 1);
  while (hasEscapes && end !== -1 && isEscaped(text, end, start)) end = text.indexOf('"', end + 1);
  return end;
}

/**
 * Offset of the last digit of a number without exponent and so short that any double holds its integer part, −1 for any
 * other number, `start` for what is no number.
 */
function endOfPlainNumber(text: string, start: number): number {
  if (!isDigit(text.charCodeAt(start))) return start;
  for (let at = start + 1; at < start + 16; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x65 || unit === 0x45) return -1;
    if (!isDigit(unit) && unit !== 0x2e) return at - 1;
  }
  return -1;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function countMembers(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') members += countMembers(item);
    return members;
  }
  const object = value as Readonly<Record<string, Json>>;
  for (const name in object) {
    members += 1;
    const member = object[name];
    if (typeof member === 'object') members += countMembers(member);
  }
  return members;
}
