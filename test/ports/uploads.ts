import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { Uploads } from '#service/ports/uploads.ts';
import { pendingUpload } from '#test/support/stored-things.ts';

/** What every store of upload sessions keeps (docs/spec/wire.md §5). */
export function testUploads(name: string, make: () => Promise<Uploads>): void {
  describe(`Uploads: ${name}`, () => {
    it('finds a session of its own tenant', async () => {
      const uploads = await make();
      const session = pendingUpload();
      await uploads.open('acme', [session]);
      expect(await uploads.find('acme', session.upload_id)).toEqual(session);
      expect(await uploads.find('other', session.upload_id)).toBeNull();
    });

    it('settles a session once', async () => {
      const uploads = await make();
      const session = pendingUpload();
      await uploads.open('acme', [session]);
      await uploads.settle('other', session.upload_id, 'failed');
      await uploads.settle('acme', session.upload_id, 'completed');
      await uploads.settle('acme', session.upload_id, 'failed');
      expect((await uploads.find('acme', session.upload_id))?.status).toBe('completed');
    });

    it('knows the newest session of each file of a Card', async () => {
      const uploads = await make();
      const file = { purpose: 'artifact', card_uid: v7(), relative_path: 'q.md' } as const;
      const [first, again] = [pendingUpload(file), pendingUpload(file)];
      const other = pendingUpload({ ...file, relative_path: 'a.md' });
      await uploads.open('acme', [first, other]);
      await uploads.open('acme', [again]);
      const ids = (await uploads.ofCard('acme', file.card_uid)).map((found) => found.upload_id).sort();
      expect(ids).toEqual([again.upload_id, other.upload_id].sort());
    });
  });
}
