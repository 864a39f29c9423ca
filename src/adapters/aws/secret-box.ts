import { DecryptCommand, EncryptCommand, type KMSClient } from '@aws-sdk/client-kms';
import type { SecretBox, SecretPlace } from '#service/ports/connections.ts';
import { storeFailure } from '#service/ports/store-failure.ts';
import { errorName, storeCall } from './store-call.ts';

/** What KMS says of a text that no later call opens either. */
const unopenable: ReadonlySet<string> = new Set(['InvalidCiphertextException', 'IncorrectKeyException']);

/**
 * Secrets encrypted by a key of KMS (docs/spec/background.md §8.2); its log names tenant and connection of each use. A secret
 * fits: KMS takes 4,096 bytes.
 */
export function kmsSecretBox(kms: KMSClient, keyId: string): SecretBox {
  return {
    async seal(place, secret) {
      const { CiphertextBlob } = await storeCall('sealing a secret', () =>
        kms.send(
          new EncryptCommand({
            KeyId: keyId,
            Plaintext: Buffer.from(secret, 'utf8'),
            EncryptionContext: contextOf(place),
          }),
        ),
      );
      return Buffer.from(CiphertextBlob ?? []).toString('base64');
    },
    async open(place, sealed) {
      const command = new DecryptCommand({
        KeyId: keyId,
        CiphertextBlob: Buffer.from(sealed, 'base64'),
        EncryptionContext: contextOf(place),
      });
      try {
        const { Plaintext } = await kms.send(command);
        return Buffer.from(Plaintext ?? []).toString('utf8');
      } catch (error) {
        if (unopenable.has(errorName(error))) return null;
        throw storeFailure(`opening a secret: ${errorName(error)}`, error);
      }
    },
  };
}

/** For functions that have no key. */
export const noSecretBox: SecretBox = {
  async seal() {
    throw storeFailure('this function has no key of secrets', null);
  },
  async open() {
    throw storeFailure('this function has no key of secrets', null);
  },
};

function contextOf({ tenant, connection_id }: SecretPlace): Record<string, string> {
  return { tenant, connection: connection_id };
}
