import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { SecretBox, SecretPlace } from '#service/ports/connections.ts';
import { storeFailure } from '#service/ports/store-failure.ts';
import { writeFileDurably } from './durable-files.ts';

interface Key {
  /** Of the key's digest: a text that another key sealed is told apart from a damaged one. */
  readonly kid: string;
  readonly bytes: Uint8Array;
}

const version = 'v1';
const ivBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM (docs/spec/background.md §8.2). The key is `given` (base64, 32 bytes), or that of a file of mode 0600, which the
 * first secret makes. Tenant and connection are authenticated along.
 */
export function keyFileBox(path: string, given: string | undefined): SecretBox {
  let known: Promise<Key> | undefined;
  // One look at a time, so that two first secrets do not make two keys.
  const keyOf = async (make: boolean): Promise<Key> => {
    known ??= given === undefined || given === '' ? fileKey(path, make) : Promise.resolve().then(() => toKey(given));
    try {
      return await known;
    } catch (error) {
      known = undefined;
      throw storeFailure('the key of secrets is not available', error);
    }
  };
  return {
    async seal(place, secret) {
      const key = await keyOf(true);
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', key.bytes, iv).setAAD(associated(place));
      const sealed = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${version}.${key.kid}.${sealed.toString('base64url')}`;
    },
    async open(place, text) {
      const key = await keyOf(false);
      const [first, kid, sealed = ''] = text.split('.');
      return first === version && kid === key.kid ? decipher(key, place, Buffer.from(sealed, 'base64url')) : null;
    },
  };
}

function decipher(key: Key, place: SecretPlace, sealed: Buffer): string | null {
  if (sealed.length < ivBytes + tagBytes) return null;
  try {
    const cipher = createDecipheriv('aes-256-gcm', key.bytes, sealed.subarray(0, ivBytes), { authTagLength: tagBytes })
      .setAAD(associated(place))
      .setAuthTag(sealed.subarray(-tagBytes));
    return Buffer.concat([cipher.update(sealed.subarray(ivBytes, -tagBytes)), cipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

function associated({ tenant, connection_id }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify([tenant, connection_id]));
}

async function fileKey(path: string, make: boolean): Promise<Key> {
  try {
    const { key } = JSON.parse(await readFile(path, 'utf8')) as { readonly key: unknown };
    return toKey(key);
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isAbsent || !make) throw error;
  }
  const key = randomBytes(32).toString('base64');
  await writeFileDurably(path, JSON.stringify({ key }));
  return toKey(key);
}

function toKey(text: unknown): Key {
  const bytes = Buffer.from(String(text), 'base64');
  // The text is not shown: it may be a key with a slip.
  if (bytes.length !== 32) throw new Error('expected 32 bytes in base64');
  return { kid: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes };
}
