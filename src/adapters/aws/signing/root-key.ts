import { createHash, createPublicKey } from 'node:crypto';
import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
import type { Envelope, PublicKey } from '#contract/record.ts';
import { preAuthenticationEncoding, publicHalf } from '#service/records/sign-payload.ts';
import type { AwsClientOptions } from '../clients.ts';
import { storeCall } from '../store-call.ts';
import { rawSignature } from './read-der.ts';

/** The root key: P-256, in KMS; its private half never leaves it. */
export interface RootKey {
  /** Asked once a process. */
  publicKey(): Promise<{ readonly kid: string; readonly jwk: PublicKey }>;
  sign(payloadType: string, payload: Uint8Array): Promise<Envelope['signatures'][number]>;
}

/** A verdict waits for it: two tries of a second, then the record is signed later. Only functions that sign have it. */
export function makeKms(options: AwsClientOptions = {}): KMSClient {
  const requestHandler = { connectionTimeout: 500, requestTimeout: 1_000, throwOnRequestTimeout: true };
  return new KMSClient({ ...options, maxAttempts: 2, requestHandler });
}

/** KMS hashes messages up to this length itself. */
const longestMessage = 4_096;

export function kmsRootKey(kms: KMSClient, keyId: string): RootKey {
  let known: Promise<{ readonly kid: string; readonly jwk: PublicKey }> | undefined;
  const read = async () => {
    const { PublicKey: spki } = await storeCall('signing key', () =>
      kms.send(new GetPublicKeyCommand({ KeyId: keyId })),
    );
    return publicHalf(createPublicKey({ key: Buffer.from(spki ?? []), format: 'der', type: 'spki' }));
  };
  const publicKey = async () => {
    known ??= read();
    try {
      return await known;
    } catch (error) {
      known = undefined;
      throw error;
    }
  };
  return {
    publicKey,
    async sign(payloadType, payload) {
      const { kid } = await publicKey();
      const message = preAuthenticationEncoding(payloadType, payload);
      const isLong = message.length > longestMessage;
      const { Signature } = await storeCall('signing', () =>
        kms.send(
          new SignCommand({
            KeyId: keyId,
            SigningAlgorithm: 'ECDSA_SHA_256',
            MessageType: isLong ? 'DIGEST' : 'RAW',
            Message: isLong ? createHash('sha256').update(message).digest() : message,
          }),
        ),
      );
      return { keyid: kid, sig: Buffer.from(rawSignature(Signature ?? new Uint8Array())).toString('base64') };
    },
  };
}
