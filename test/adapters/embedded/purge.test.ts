import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keepHouse } from '#local/housekeeping.ts';
import { openStore } from '#local/open-store.ts';
import { controlledClock } from '#test/support/controlled-clock.ts';
import { declarationOf, keyRow, pendingUpload, storedCard } from '#test/support/stored-things.ts';

const day = 24 * 3_600_000;
const t0 = Date.parse('2026-03-02T09:00:00.000Z');

it('forgets keys after seven days and upload sessions a day later, of every tenant, while the host runs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-purge-'));
  const store = await openStore(folder);
  try {
    const clock = controlledClock(t0);
    const [old, young] = [keyRow({ created_at: t0 }), keyRow({ created_at: t0 + day })];
    const uploads = [pendingUpload({ created_at: t0 }), pendingUpload({ created_at: t0 + day })] as const;
    await store.registry.declare('acme', declarationOf([storedCard()], { idempotency: old }));
    await store.registry.declare('other', declarationOf([storedCard()], { idempotency: young }));
    await store.uploads.open('acme', [uploads[0]]);
    await store.uploads.open('other', [uploads[1]]);
    const log = { info() {}, warn() {}, error: (message: string) => expect.unreachable(message) };
    const stop = new AbortController();
    const house = keepHouse({ ...store, clock, log }, stop.signal);
    const held = async () => [
      (await store.idempotency.find('acme', old, 0)) !== null,
      (await store.idempotency.find('other', young, 0)) !== null,
      (await store.uploads.find('acme', uploads[0].upload_id)) !== null,
      (await store.uploads.find('other', uploads[1].upload_id)) !== null,
    ];
    await clock.advance(7 * day);
    expect(await held()).toEqual([true, true, true, true]);
    await clock.advance(3_600_000);
    expect(await held()).toEqual([false, true, true, true]);
    await clock.advance(day);
    expect(await held()).toEqual([false, false, false, true]);
    await clock.advance(day);
    expect(await held()).toEqual([false, false, false, false]);
    stop.abort();
    await house;
    expect((await store.registry.list('acme', {}, { limit: 5, after: null })).items).toHaveLength(1);
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
});
