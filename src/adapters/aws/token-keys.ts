import { randomBytes, randomUUID } from 'node:crypto';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import { z } from 'zod';
import type { TokenKey, TokenKeys } from '#service/ports/keys.ts';
import { storeFailure } from '#service/ports/store-failure.ts';
import { errorName, storeCall } from './store-call.ts';

/** How long a process remembers the keys. */
const rememberMs = 60_000;
/**
 * A key signs only when it is this old: until then some process may not know it, and would refuse its tokens. Twice the
 * time that keys are remembered leaves a minute for clocks that differ.
 */
const ripeMs = 2 * rememberMs;

const keyText = z.object({ kid: z.string().min(1), secret: z.string().min(32), created_at: z.number() });
/** As a rotation writes it, newest first; or one key alone, as the deployment generates the first. */
const secretText = z.union([z.object({ keys: z.array(keyText).min(1).max(2) }), keyText]);

type KeyText = z.infer<typeof keyText>;
interface Read {
  readonly keys: readonly KeyText[];
  readonly version: string;
  readonly at: number;
}

/**
 * Access-token keys in one secret of Secrets Manager. `now` is in milliseconds. A rotation moves the label of the current
 * version from the one that was read: of two at the same time one wins.
 */
export function secretTokenKeys(secrets: SecretsManagerClient, secretId: string, now: () => number): TokenKeys {
  let known: Read | null = null;
  const read = async (): Promise<Read> => {
    const answer = await storeCall('token keys', () => secrets.send(new GetSecretValueCommand({ SecretId: secretId })));
    const parsed = secretText.safeParse(jsonOf(answer.SecretString));
    if (!parsed.success) throw storeFailure('the secret of token keys is not in its form', null);
    const keys = 'keys' in parsed.data ? parsed.data.keys : [parsed.data];
    known = { keys, version: answer.VersionId ?? '', at: now() };
    return known;
  };
  return {
    async valid() {
      const { keys } = known && now() - known.at < rememberMs ? known : await read();
      return signingFirst(keys, now()).map(toTokenKey);
    },
    async rotate() {
      const current = await read();
      const [newest] = current.keys;
      // Another process has just done it; the new key is known but does not sign yet.
      if (newest && isUnripe(newest, now())) return;
      const added = { kid: randomBytes(8).toString('hex'), secret: randomBytes(32).toString('hex'), created_at: now() };
      await replace(secrets, secretId, current, [added, ...current.keys].slice(0, 2));
      known = null;
    },
  };
}

/** Newest first, but a key that others may not know yet comes second. */
function signingFirst(keys: readonly KeyText[], now: number): readonly KeyText[] {
  const [newest, before] = keys;
  return newest && before && isUnripe(newest, now) ? [before, newest] : keys;
}

function isUnripe(key: KeyText, now: number): boolean {
  return now - key.created_at < ripeMs;
}

async function replace(
  secrets: SecretsManagerClient,
  secretId: string,
  current: Read,
  keys: readonly KeyText[],
): Promise<void> {
  const version = randomUUID();
  await storeCall('token keys', async () => {
    await secrets.send(
      new PutSecretValueCommand({
        SecretId: secretId,
        ClientRequestToken: version,
        SecretString: JSON.stringify({ keys }),
        VersionStages: [`rotation-${version}`],
      }),
    );
    try {
      await secrets.send(
        new UpdateSecretVersionStageCommand({
          SecretId: secretId,
          VersionStage: 'AWSCURRENT',
          MoveToVersionId: version,
          RemoveFromVersionId: current.version,
        }),
      );
    } catch (error) {
      // The label is no longer where it was read: another rotation won, and its key is the new one.
      if (errorName(error) !== 'InvalidParameterException') throw error;
    }
    await secrets.send(
      new UpdateSecretVersionStageCommand({
        SecretId: secretId,
        VersionStage: `rotation-${version}`,
        RemoveFromVersionId: version,
      }),
    );
  });
}

function toTokenKey({ kid, secret, created_at }: KeyText): TokenKey {
  return { kid, secret: new TextEncoder().encode(secret), created_at };
}

function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
}
