/**
 * Base64 of RFC 4648 §4, strict: padding is there, bits that encode nothing are zero, nothing else stands in the text. So
 * one byte string has one text, and a text cannot be changed without changing what it says. Null: not base64.
 */
export function decodeBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0 || !alphabet.test(text)) return null;
  const binary = atob(text);
  if (btoa(binary) !== text) return null;
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

const alphabet = /^[A-Za-z0-9+/]*={0,2}$/;

/** Characters that one call of `fromCharCode` is given. */
const chunk = 8192;

export function encodeBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += chunk) binary += String.fromCharCode(...bytes.subarray(at, at + chunk));
  return btoa(binary);
}

/** Base64url without padding (RFC 4648 §5), as JWKs write it; strict in the same way. */
export function decodeBase64Url(text: string): Uint8Array | null {
  if (/[^A-Za-z0-9_-]/.test(text)) return null;
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  return decodeBase64(standard.padEnd(Math.ceil(text.length / 4) * 4, '='));
}

export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
