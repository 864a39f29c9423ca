import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Json, JsonObject } from '#contract/json.ts';
import { type Envelope, payloadTypes, publicKeySchema } from '#contract/record.ts';
import { keyIdOf } from '#engine/record/dsse.ts';
import { preAuthenticationEncoding } from '#engine/record/pre-authentication-encoding.ts';
import { canonical } from '#engine/values/canonical.ts';

/** A signing key as a host holds it, made by the platform's own cryptography and not by the library under test. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: 'EdDSA' | 'ES256';
  readonly jwk: JsonObject;
  /** Raw 64 bytes. */
  sign(message: Uint8Array): Buffer;
  signDer(message: Uint8Array): Buffer;
}

export function makeKey(type: 'ed25519' | 'p256'): SigningKey {
  const pair = type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = pair.publicKey.export({ format: 'jwk' });
  const spki = pair.publicKey.export({ format: 'der', type: 'spki' });
  const kid = `${type === 'ed25519' ? 'ed25519' : 'es256'}:${createHash('sha256').update(spki).digest('hex').slice(0, 16)}`;
  const { kty, crv, x, y } = jwk;
  const publicJwk: JsonObject = { kty: kty ?? '', crv: crv ?? '', x: x ?? '', ...(y !== undefined && { y }) };
  if (keyIdOf(publicKeySchema.parse(publicJwk)) !== kid) throw new Error('the key id is not that of the SPKI');
  const hash = type === 'ed25519' ? null : 'sha256';
  const by = (encoding: 'ieee-p1363' | 'der') => (message: Uint8Array) =>
    sign(hash, message, keyFor(pair.privateKey, encoding));
  return {
    kid,
    alg: type === 'ed25519' ? 'EdDSA' : 'ES256',
    jwk: publicJwk,
    sign: by('ieee-p1363'),
    signDer: by('der'),
  };
}

function keyFor(key: KeyObject, dsaEncoding: 'ieee-p1363' | 'der') {
  return { key, dsaEncoding };
}

export function published(key: SigningKey, window: JsonObject): JsonObject {
  return { ...key.jwk, kid: key.kid, alg: key.alg, ...window };
}

export function envelopeOf(payloadType: string, payload: Uint8Array, key: SigningKey): Envelope {
  const sig = key.sign(preAuthenticationEncoding(payloadType, payload)).toString('base64');
  return { payloadType, payload: Buffer.from(payload).toString('base64'), signatures: [{ keyid: key.kid, sig }] };
}

/** An envelope over the RFC 8785 bytes of a value. */
export function signJson(kind: keyof typeof payloadTypes, value: Json, key: SigningKey): Envelope {
  return envelopeOf(payloadTypes[kind], Buffer.from(canonical(value)), key);
}
