import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Json, JsonObject } from '#contract/json.ts';
import { isList } from './kind.ts';

/**
 * RFC 8785 text: members by UTF-16 code units, no white space, ECMAScript numbers. Written out instead of called from
 * the `canonicalize` package for speed (its cycle and surrogate checks have nothing to find in `Json`); a property test
 * holds the two equal.
 */
export function canonical(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return isList(value) ? canonicalList(value) : canonicalObject(value as JsonObject);
}

function canonicalList(list: readonly Json[]): string {
  let text = '[';
  for (let index = 0; index < list.length; index += 1) {
    if (index > 0) text += ',';
    text += canonical(list[index] ?? null);
  }
  return `${text}]`;
}

function canonicalObject(object: JsonObject): string {
  const names = Object.keys(object);
  if (names.length > 1) names.sort();
  let text = '{';
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] ?? '';
    if (index > 0) text += ',';
    text += `${JSON.stringify(name)}:${canonical(object[name] ?? null)}`;
  }
  return `${text}}`;
}

/** JSON without white space, members in authored order ("compact" in docs/spec/verification.md). */
export function compact(value: Json): string {
  return JSON.stringify(value);
}

/** Bytes of a well-formed text in UTF-8, without encoding it. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    // Each half of a surrogate pair stands for two of the four bytes.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/** Order of the UTF-8 bytes, which is the order of code points (docs/spec/verification.md §16.1). */
export function compareBytes(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index += 1) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return codePointRank(a) - codePointRank(b);
  }
  return left.length - right.length;
}

/** Surrogates (code points from U+10000) sort above U+E000 … U+FFFF, unlike their UTF-16 units. */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

/** SHA-256 as lower-case hex; text is hashed as UTF-8. */
export function sha256Hex(content: string | Uint8Array): string {
  return bytesToHex(sha256(typeof content === 'string' ? utf8ToBytes(content) : content));
}
