import { stat } from 'node:fs/promises';
import type { Signer } from '#service/ports/signer.ts';
import type { Clock } from '#service/ports.ts';
import { signPayload } from '#service/records/sign-payload.ts';
import { openRootKeys, type RootKey, readRootKeys } from './signing-keys.ts';

/** How often the file is looked at; well below the time before a rotation counts. */
const lookMs = 10_000;

/** Signs with the root keys of the data folder. Another process may rotate them while this one runs. */
export async function rootKeySigner(path: string, clock: Clock): Promise<Signer> {
  let keys = await openRootKeys(path, clock.now());
  let seen = await changedAt(path);
  let lookedAt = performance.now();

  const current = async (): Promise<readonly RootKey[]> => {
    if (performance.now() - lookedAt < lookMs) return keys;
    lookedAt = performance.now();
    const changed = await changedAt(path);
    if (changed !== seen) {
      keys = (await readRootKeys(path)) ?? keys;
      seen = changed;
    }
    return keys;
  };
  const sign: Signer['sign'] = async (payloadType, payload, at) => {
    const key = (await current()).find(({ published }) => covers(published, at));
    if (key === undefined || key.privateKey === null) throw new Error('no signing key of that time is held');
    const { published, privateKey } = key;
    return { signatures: [signPayload({ kid: published.kid, privateKey }, payloadType, payload)] };
  };
  return {
    sign,
    signAsRoot: sign,
    rootKeys: async () => ({ keys: (await current()).map(({ published }) => published) }),
  };
}

function covers({ valid_from, valid_until }: RootKey['published'], at: number): boolean {
  return at >= Date.parse(valid_from) && (valid_until === undefined || at < Date.parse(valid_until));
}

/** A file that is gone is no change: what was read of it stays. */
async function changedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs, ino }) => mtimeMs + ino,
    () => 0,
  );
}
