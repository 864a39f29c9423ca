import { generateKeyPairSync } from 'node:crypto';
import type { Signer } from '#service/ports/signer.ts';
import { publicHalf, signPayload } from '#service/records/sign-payload.ts';

/** A root key that was there at all times, for tests whose clocks stand anywhere. */
export function testSigner(): Signer {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { kid, jwk } = publicHalf(privateKey);
  if (jwk.kty !== 'OKP') throw new Error('not an Ed25519 key');
  const sign: Signer['sign'] = async (payloadType, payload) => ({
    signatures: [signPayload({ kid, privateKey }, payloadType, payload)],
  });
  const published = { ...jwk, kid, alg: 'EdDSA' as const, valid_from: '1970-01-01T00:00:00.000Z' };
  return { sign, signAsRoot: sign, rootKeys: async () => ({ keys: [published] }) };
}

/** A key service that is down. */
export const failingSigner: Signer = {
  sign: async () => Promise.reject(new Error('key service unavailable')),
  signAsRoot: async () => Promise.reject(new Error('key service unavailable')),
  rootKeys: async () => Promise.reject(new Error('key service unavailable')),
};
