import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rootKeySigner } from '#adapters/embedded/signer.ts';
import { openRootKeys, readRootKeys, rotateRootKeys } from '#adapters/embedded/signing-keys.ts';
import { systemClock } from '#adapters/embedded/system.ts';
import { testSigner } from '#test/ports/signer.ts';
import { inFolder } from '#test/support/temporary-folder.ts';

const day = 24 * 3_600_000;
const at = (time: string) => Date.parse(time);
const now = at('2026-03-02T09:00:00.000Z');
const inFile = <Value>(use: (path: string) => Promise<Value>) =>
  inFolder({}, (folder) => use(join(folder, 'signing-keys.json')));

testSigner('embedded', () => inFile((path) => rootKeySigner(path, systemClock)));

describe('the file of root keys', () => {
  it('is made once, for its owner alone, whoever opens it at the same time', async () => {
    await inFile(async (path) => {
      const [keys] = await Promise.all([openRootKeys(path, now)]);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(await openRootKeys(path, now + day)).toEqual(keys);
      expect(keys).toHaveLength(1);
      expect(keys?.[0]?.published.valid_until).toBeUndefined();
    });
  });

  it('keeps the public half of a key that was rotated out, and its private half for a day', async () => {
    await inFile(async (path) => {
      const [first] = await openRootKeys(path, now);
      const second = await rotateRootKeys(path, now);
      expect(second.valid_from).toBe('2026-03-02T09:01:00.000Z');
      const rotated = (await readRootKeys(path)) ?? [];
      expect(rotated.map(({ published }) => published)).toEqual([
        { ...first?.published, valid_until: second.valid_from },
        second,
      ]);
      expect(rotated.every(({ privateKey }) => privateKey !== null)).toBe(true);
      await expect(rotateRootKeys(path, now + 59_000)).rejects.toThrow('under way');
      await rotateRootKeys(path, now + 2 * day);
      const held = (await readRootKeys(path)) ?? [];
      expect(held.map(({ privateKey }) => privateKey !== null)).toEqual([false, true, true]);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(await readFile(path, 'utf8')).toContain(String(first?.published.kid));
    });
  });

  it('is not written by two at once, and a rotation that broke off stops nobody for long', async () => {
    await inFile(async (path) => {
      await openRootKeys(path, now);
      await writeFile(`${path}.new`, '{"keys":');
      await expect(rotateRootKeys(path, now)).rejects.toThrow('another process');
      const old = new Date(Date.now() - 61_000);
      await utimes(`${path}.new`, old, old);
      await rotateRootKeys(path, now);
      expect(await readRootKeys(path)).toHaveLength(2);
    });
  });

  it.each(['', '{}', '{"keys":[]}', '{"keys":[{"published":{"kty":"OKP"},"d":null}]}'])(
    'is refused when it holds %j',
    async (text) => {
      await inFile(async (path) => {
        await writeFile(path, text);
        await expect(openRootKeys(path, now)).rejects.toThrow();
        expect(await readFile(path, 'utf8')).toBe(text);
      });
    },
  );

  it('signs with the key of the time that is claimed', async () => {
    await inFile(async (path) => {
      await openRootKeys(path, Date.now());
      await rotateRootKeys(path, Date.now());
      const signer = await rootKeySigner(path, systemClock);
      const { keys } = await signer.rootKeys();
      const kidAt = async (time: number) => (await signer.sign('t', Buffer.from('x'), time)).signatures[0]?.keyid;
      expect(await kidAt(Date.now())).toBe(keys[0]?.kid);
      expect(await kidAt(Date.now() + 61_000)).toBe(keys[1]?.kid);
    });
  });
});
