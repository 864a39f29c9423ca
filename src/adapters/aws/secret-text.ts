import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { KeyText } from '#service/auth/first-key.ts';
import { storeCall } from './store-call.ts';

/** The text of a secret, current version. */
export function secretText(secrets: SecretsManagerClient, secretId: string): KeyText {
  return {
    read: () =>
      storeCall('secret', async () => {
        const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: secretId }));
        return SecretString ?? '';
      }),
    write: (text) =>
      storeCall('secret', async () => {
        await secrets.send(new PutSecretValueCommand({ SecretId: secretId, SecretString: text }));
      }),
  };
}
