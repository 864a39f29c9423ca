import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore, type Store } from '#local/open-store.ts';
import type { Principal } from '#service/auth/principal.ts';
import { completeUpload, partUrl, receiveUpload } from '#service/evidence/receive-upload.ts';
import type { Upload } from '#service/ports/uploads.ts';
import { pendingUpload } from '#test/support/stored-things.ts';

/** Sessions that bring files (docs/spec/wire.md §5.4, §5.7). */

const day = 24 * 3_600_000;
const bytes = new TextEncoder().encode('bytes');
const file = { sha256: createHash('sha256').update(bytes).digest('hex'), size_bytes: bytes.byteLength };
const principal = (permissions: Principal['permissions']): Principal => ({
  tenant: 'acme',
  id: 'k',
  permissions,
  verifier_uids: null,
  card_uid: null,
});
const all = principal(new Set(['verifier:run', 'artifacts:write']));

let folder: string;
let store: Store;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'touchstone-sessions-'));
  store = await openStore(folder);
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function session(change: Partial<Upload> = {}): Promise<Upload> {
  const upload = pendingUpload({ ...file, created_at: store.clock.now(), ...change });
  await store.uploads.open('acme', [upload]);
  return upload;
}

async function* body(): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const calls = {
  receive: (who: Principal, id: string) => receiveUpload(store, who, id, body()),
  complete: (who: Principal, id: string) => completeUpload(store, who, id),
  'part-url': (who: Principal, id: string) => partUrl(store, who, id, 1),
} as const;

describe.each(Object.entries(calls))('%s', (_, call) => {
  it('knows no session that nobody finished for a day', async () => {
    const late = await session({ created_at: store.clock.now() - day - 1_000 });
    await expect(call(all, late.upload_id)).rejects.toMatchObject({
      code: 'WYRD_STORAGE_404_UPLOAD_NOT_FOUND',
      details: { variant: 'upload_not_found' },
    });
  });

  it('needs the right of what the session is for', async () => {
    const artifact = await session({ purpose: 'artifact' });
    await expect(call(principal(new Set(['verifier:run'])), artifact.upload_id)).rejects.toMatchObject({
      code: 'WYRD_PERMISSION_403_DENIED_RBAC',
    });
  });

  it('refuses what is no id of a session', async () => {
    await expect(call(all, '../x')).rejects.toMatchObject({ code: 'WYRD_STORAGE_400_INVALID_UPLOAD_ID' });
  });
});

it('a host that stores bytes itself has no parts, however large the file', async () => {
  const large = await session({ purpose: 'artifact', size_bytes: 200 * 1_048_576 });
  expect((await store.transfers.uploadPlan('acme', large)).protocol).toBe('local_fs');
  await expect(partUrl(store, all, large.upload_id, 1)).rejects.toMatchObject({
    code: 'WYRD_STORAGE_404_UPLOAD_NOT_FOUND',
  });
});

it('a finished session answers the same after a day', async () => {
  const upload = await session({ created_at: store.clock.now() - day + 2_000 });
  await receiveUpload(store, all, upload.upload_id, body());
  const settled = await completeUpload(store, all, upload.upload_id);
  const later = { ...store, clock: { ...store.clock, now: () => store.clock.now() + day } };
  expect(await completeUpload(later, all, upload.upload_id)).toEqual(settled);
});
