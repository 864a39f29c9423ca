import { randomBytes } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keyFileBox } from '#adapters/embedded/secret-box.ts';
import { inFolder } from '#test/support/temporary-folder.ts';

const place = { tenant: 'acme', connection_id: '01900000-0000-7000-8000-000000000001' };
const unavailable = expect.objectContaining({ name: 'StoreFailure' });

describe('the key of secrets', () => {
  it('is made by the first secret, once, for its owner alone; another start reads it', async () => {
    await inFolder({}, async (folder) => {
      const path = join(folder, 'secret-key.json');
      const box = keyFileBox(path, undefined);
      await expect(stat(path)).rejects.toThrow();
      const [one, two] = await Promise.all([box.seal(place, 'one'), box.seal(place, 'two')]);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      const next = keyFileBox(path, undefined);
      expect([await next.open(place, one), await next.open(place, two)]).toEqual(['one', 'two']);
    });
  });

  it('may be given; then no file is made, and what another key sealed does not open', async () => {
    await inFolder({}, async (folder) => {
      const path = join(folder, 'secret-key.json');
      const key = randomBytes(32).toString('base64');
      const sealed = await keyFileBox(path, key).seal(place, 'secret');
      await expect(stat(path)).rejects.toThrow();
      expect(await keyFileBox(path, key).open(place, sealed)).toBe('secret');
      expect(await keyFileBox(path, randomBytes(32).toString('base64')).open(place, sealed)).toBeNull();
    });
  });

  it('is unavailable when it is gone, damaged or of the wrong length, and used again when it is back', async () => {
    await inFolder({}, async (folder) => {
      const path = join(folder, 'secret-key.json');
      const sealed = await keyFileBox(path, undefined).seal(place, 'secret');
      const content = await readFile(path, 'utf8');
      const box = keyFileBox(path, undefined);
      await rm(path);
      await expect(box.open(place, sealed)).rejects.toEqual(unavailable);
      for (const damaged of ['', '{', '{}', '{"key":"c2hvcnQ="}', '[]', 'null']) {
        await writeFile(path, damaged);
        await expect(box.open(place, sealed)).rejects.toEqual(unavailable);
        await expect(box.seal(place, 'x')).rejects.toEqual(unavailable);
        expect(await readFile(path, 'utf8')).toBe(damaged);
      }
      await writeFile(path, content);
      expect(await box.open(place, sealed)).toBe('secret');
      await expect(keyFileBox(path, 'too short').seal(place, 'x')).rejects.toEqual(unavailable);
    });
  });
});
