import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { TokenKey, TokenKeys } from '#service/ports/keys.ts';
import type { Clock } from '#service/ports.ts';
import { writeFileDurably } from './durable-files.ts';

/** Access-token keys in one file of mode 0600, read once and kept. */
export async function tokenKeyFile(path: string, clock: Clock): Promise<TokenKeys> {
  let keys = await readKeys(path);
  const rotate = async () => {
    const added: TokenKey = { kid: randomBytes(8).toString('hex'), secret: randomBytes(32), created_at: clock.now() };
    const next = [added, ...keys].slice(0, 2);
    await writeFileDurably(path, JSON.stringify({ keys: next.map(toText) }));
    keys = next;
  };
  if (keys.length === 0) await rotate();
  return { valid: async () => keys, rotate };
}

async function readKeys(path: string): Promise<readonly TokenKey[]> {
  try {
    const { keys } = JSON.parse(await readFile(path, 'utf8')) as { readonly keys: readonly KeyText[] };
    return keys.map((key) => ({ ...key, secret: new Uint8Array(Buffer.from(key.secret, 'base64url')) }));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

interface KeyText {
  readonly kid: string;
  readonly secret: string;
  readonly created_at: number;
}

function toText(key: TokenKey): KeyText {
  return { ...key, secret: Buffer.from(key.secret).toString('base64url') };
}
