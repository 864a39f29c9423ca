import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { type KeySet, keySetSchema } from '#contract/record.ts';
import { publicHalf } from '#service/records/sign-payload.ts';
import { toRfc3339 } from '#service/time.ts';
import { syncFolder } from './durable-files.ts';

export type PublishedKey = KeySet['keys'][number];

export interface RootKey {
  readonly published: PublishedKey;
  /** Null: retired long ago, and forgotten. */
  readonly privateKey: KeyObject | null;
}

/** A host that runs reads a rotation before it counts. */
const rotationDelayMs = 60_000;
/** A clock that is put right after the first start must not leave records without a key. */
const firstKeyLeadMs = 24 * 3_600_000;
/** What a retired key left pending is signed within this time. */
const forgetMs = 24 * 3_600_000;
/** A rotation takes moments: a file that is older was left by one that broke off. */
const abandonedMs = 60_000;

const fileSchema = z.strictObject({
  keys: z.array(z.strictObject({ published: keySetSchema.shape.keys.element, d: z.string().nullable() })).min(1),
});
type KeyText = z.infer<typeof fileSchema>['keys'][number];

/** Root keys of the folder, oldest first; the first is made when there is none. Whoever reads it never sees a part. */
export async function openRootKeys(path: string, now: number): Promise<readonly RootKey[]> {
  const found = await readRootKeys(path);
  if (found !== null) return found;
  await replaceKeys(path, (keys) => (keys.length > 0 ? keys : [newKey(now - firstKeyLeadMs)]));
  return (await readRootKeys(path)) ?? [];
}

/** Null when there is no file. Throws when it is not in its form. */
export async function readRootKeys(path: string): Promise<readonly RootKey[] | null> {
  const texts = await readTexts(path);
  return (
    texts?.map(({ published, d }) => ({ published, privateKey: d === null ? null : toPrivateKey(published, d) })) ??
    null
  );
}

/**
 * Puts a new key behind the last one, from a minute from now on; the one before ends at that moment (docs/spec/records.md
 * §3). Public halves stay for ever. Throws when a rotation is under way. Answers the new key.
 */
export async function rotateRootKeys(path: string, now: number): Promise<PublishedKey> {
  const from = now + rotationDelayMs;
  const added = newKey(from);
  await replaceKeys(path, (keys) => {
    const last = keys.at(-1);
    if (last !== undefined && Date.parse(last.published.valid_from) > now) throw new Error('a rotation is under way');
    return [...keys.map((key) => retired(key, from, now)), added];
  });
  return added.published;
}

function retired({ published, d }: KeyText, from: number, now: number): KeyText {
  const until = published.valid_until ?? toRfc3339(from);
  return { published: { ...published, valid_until: until }, d: Date.parse(until) < now - forgetMs ? null : d };
}

function newKey(from: number): KeyText {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { kid, jwk } = publicHalf(privateKey);
  const { d } = privateKey.export({ format: 'jwk' });
  if (jwk.kty !== 'OKP' || d === undefined) throw new Error('not an Ed25519 key');
  return { published: { ...jwk, kid, alg: 'EdDSA', valid_from: toRfc3339(from) }, d };
}

function toPrivateKey(published: PublishedKey, d: string): KeyObject {
  if (published.kty !== 'OKP') throw new Error('a signing key of the folder is not Ed25519');
  const { kty, crv, x, kid } = published;
  const key = createPrivateKey({ format: 'jwk', key: { kty, crv, x, d } });
  if (publicHalf(key).kid !== kid) throw new Error(`the private half of ${kid} is another key's`);
  return key;
}

async function readTexts(path: string): Promise<readonly KeyText[] | null> {
  try {
    return fileSchema.parse(JSON.parse(await readFile(path, 'utf8'))).keys;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Read, change, write as one step among processes: the file of the new content is also the lock. */
async function replaceKeys(path: string, change: (keys: readonly KeyText[]) => readonly KeyText[]): Promise<void> {
  const next = `${path}.new`;
  const handle = await openExclusively(next);
  try {
    const keys = change((await readTexts(path)) ?? []);
    await handle.writeFile(JSON.stringify({ keys }));
    await handle.sync();
    await rename(next, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

async function openExclusively(path: string) {
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  if (age > abandonedMs) await rm(path, { force: true });
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new Error(`${path}: another process changes the signing keys`, { cause: error });
  }
}
