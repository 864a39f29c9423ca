import { createPublicKey, hash, type KeyObject, sign } from 'node:crypto';
import type { JsonObject } from '#contract/json.ts';
import { type Envelope, type PublicKey, publicKeySchema } from '#contract/record.ts';
import { preAuthenticationEncoding } from '#engine/record/pre-authentication-encoding.ts';
import { canonical } from '#engine/values/canonical.ts';

export { preAuthenticationEncoding };

/** Payload bytes of what is signed: RFC 8785. */
export function payloadOf(said: JsonObject): Buffer {
  return Buffer.from(canonical(said), 'utf8');
}

/** One Ed25519 signature over the DSSE pre-authentication encoding (docs/spec/records.md §1). */
export function signPayload(
  key: { readonly kid: string; readonly privateKey: KeyObject },
  payloadType: string,
  payload: Uint8Array,
): Envelope['signatures'][number] {
  const signature = sign(null, preAuthenticationEncoding(payloadType, payload), key.privateKey);
  return { keyid: key.kid, sig: signature.toString('base64') };
}

/** The public half as records name it. Throws on a key of another kind than records are signed with. */
export function publicHalf(key: KeyObject): { readonly kid: string; readonly jwk: PublicKey } {
  const half = key.type === 'private' ? createPublicKey(key) : key;
  const jwk = publicKeySchema.parse(half.export({ format: 'jwk' }));
  // The same as `keyIdOf` of src/engine/record/dsse.ts, whose curves a process that only signs need not load.
  const digest = hash('sha256', half.export({ format: 'der', type: 'spki' }), 'hex');
  return { kid: `${jwk.kty === 'OKP' ? 'ed25519' : 'es256'}:${digest.slice(0, 16)}`, jwk };
}
