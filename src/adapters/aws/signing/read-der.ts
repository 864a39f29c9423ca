/**
 * An ECDSA signature over P-256 as KMS answers it (DER, RFC 3279 §2.2.3) as the 64 bytes r ‖ s that records hold. Strict:
 * one sequence of two positive integers in their shortest form, and nothing after it. Throws on anything else.
 */
export function rawSignature(der: Uint8Array): Uint8Array {
  const [tag, length] = [der[0], der[1]];
  if (tag !== 0x30 || length === undefined || length > 0x7f || der.length !== 2 + length) throw malformed();
  const r = readInteger(der, 2);
  const s = readInteger(der, r.end);
  if (s.end !== der.length) throw malformed();
  const raw = new Uint8Array(64);
  raw.set(r.bytes, 32 - r.bytes.length);
  raw.set(s.bytes, 64 - s.bytes.length);
  return raw;
}

function readInteger(der: Uint8Array, at: number): { readonly bytes: Uint8Array; readonly end: number } {
  const [tag, length] = [der[at], der[at + 1]];
  if (tag !== 0x02 || length === undefined || length < 1 || length > 33) throw malformed();
  const end = at + 2 + length;
  const content = der.subarray(at + 2, end);
  const [first = 0, second = 0] = content;
  if (content.length !== length || first >= 0x80) throw malformed();
  // A zero in front is there only to keep the next bit from being a sign.
  if (length > 1 && first === 0 && second < 0x80) throw malformed();
  const bytes = first === 0 ? content.subarray(1) : content;
  if (bytes.length === 0 || bytes.length > 32) throw malformed();
  return { bytes, end };
}

function malformed(): Error {
  return new Error('the signature is not DER of two integers of P-256');
}
