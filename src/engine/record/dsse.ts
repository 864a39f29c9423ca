import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import type { PublicKey } from '#contract/record.ts';
import { decodeBase64Url } from './base64.ts';

/** SubjectPublicKeyInfo up to the bytes of the key (RFC 8410; RFC 5480 with an uncompressed point). */
const spkiHeads = {
  OKP: hexToBytes('302a300506032b6570032100'),
  EC: hexToBytes('3059301306072a8648ce3d020106082a8648ce3d030107034200'),
} as const;

/** Raw key: 32 bytes of Ed25519, or `04 ‖ x ‖ y` of P-256. Null: the coordinates are not 32 bytes each. */
function rawKey(key: PublicKey): Uint8Array | null {
  const x = decodeBase64Url(key.x);
  if (x?.length !== 32) return null;
  if (key.kty === 'OKP') return x;
  const y = decodeBase64Url(key.y);
  return y?.length === 32 ? concatBytes(Uint8Array.of(4), x, y) : null;
}

/** `<alg>:<first 16 hex of the SHA-256 of the key's SPKI DER>` (docs/spec/records.md §1). Null: no key at all. */
export function keyIdOf(key: PublicKey): string | null {
  const raw = rawKey(key);
  if (raw === null) return null;
  const digest = bytesToHex(sha256(concatBytes(spkiHeads[key.kty], raw)));
  return `${key.kty === 'OKP' ? 'ed25519' : 'es256'}:${digest.slice(0, 16)}`;
}

/**
 * Whether a signature of 64 raw bytes holds: Ed25519 by RFC 8032 (strict: canonical encodings only, S below the group
 * order), P-256 as r ‖ s over SHA-256, either s. Keys and signatures are hostile: whatever is wrong with them, DER in
 * place of raw bytes included, is `false`.
 */
export function verifySignature(key: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  const raw = rawKey(key);
  if (raw === null || signature.length !== 64) return false;
  try {
    if (key.kty === 'OKP') return ed25519.verify(signature, message, raw, { zip215: false });
    return p256.verify(signature, message, raw, { lowS: false, format: 'compact' });
  } catch {
    // A point that is not on its curve.
    return false;
  }
}
