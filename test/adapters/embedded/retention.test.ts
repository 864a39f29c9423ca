import { createHash } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evidencePath } from '#adapters/embedded/evidence-files.ts';
import { openStore, type Store } from '#local/open-store.ts';
import { expireOld } from '#service/records/retain.ts';
import { recordOf, settledExecution } from '#test/ports/executions.ts';
import { settleWithDispatches } from '#test/support/settle-with-dispatches.ts';
import { storedCard } from '#test/support/stored-things.ts';
import { inFolder } from '#test/support/temporary-folder.ts';

const tenant = 'local';
const day = 24 * 3_600_000;
const log = { info() {}, warn() {}, error() {} };

async function write(store: Store, text: string, folder: string, ageDays: number): Promise<string> {
  const bytes = Buffer.from(text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const once = async function* () {
    yield bytes;
  };
  await store.evidence.write(tenant, { sha256, size_bytes: bytes.length }, once());
  const at = (Date.now() - ageDays * day) / 1_000;
  await utimes(evidencePath(join(folder, 'evidence'), tenant, sha256), at, at);
  return sha256;
}

const execution = (ageDays: number, more: object = {}) =>
  settledExecution({ created_at: new Date(Date.now() - ageDays * day).toISOString(), record: recordOf(), ...more });

async function inStore<Value>(use: (store: Store, folder: string) => Promise<Value>): Promise<Value> {
  return inFolder({}, async (folder) => {
    const store = await openStore(folder);
    try {
      return await use(store, folder);
    } finally {
      await store.close();
    }
  });
}

const rules = (more: object = {}) => ({ log, retention_rules: { days: 400, legal_hold: false, ...more } });

describe('retention of the embedded store', () => {
  it('deletes executions and evidence that are older, and keeps every record', async () => {
    await inStore(async (store, folder) => {
      const [old, young] = [execution(401), execution(399)];
      const open = execution(500, { status: 'pending', verdict: null, result: null, record: null });
      for (const one of [old, young, open]) await store.executions.storeSettled(tenant, one);
      const [gone, kept] = [await write(store, 'old', folder, 401), await write(store, 'young', folder, 399)];
      await expireOld({ ...store, ...rules() });
      expect(await store.executions.find(tenant, old.execution_id)).toBeNull();
      expect(await store.executions.find(tenant, young.execution_id)).toEqual(young);
      expect(await store.executions.find(tenant, open.execution_id)).toEqual(open);
      expect(await store.records.find(tenant, old.execution_id)).toEqual(old.record);
      expect(await store.evidence.read(tenant, gone)).toBeNull();
      expect(await store.evidence.read(tenant, kept)).not.toBeNull();
    });
  });

  it('deletes the dispatches of an execution with it', async () => {
    await inStore(async (store) => {
      const made = async (ageDays: number) => {
        const [dispatch] = await settleWithDispatches(store, tenant, Date.now() - ageDays * day, [{ uid: 'u' }]);
        return dispatch?.execution_id ?? '';
      };
      const [old, young] = [await made(401), await made(399)];
      await expireOld({ ...store, ...rules() });
      expect(await store.dispatches.ofExecution(tenant, old)).toEqual([]);
      expect(await store.dispatches.ofExecution(tenant, young)).toHaveLength(1);
    });
  });

  it('counts the days of a file from its last use', async () => {
    await inStore(async (store, folder) => {
      const used = await write(store, 'used again', folder, 500);
      // Whoever names it in a request asks for its size first.
      expect((await store.evidence.sizes(tenant, [used])).size).toBe(1);
      await expireOld({ ...store, ...rules() });
      expect(await store.evidence.read(tenant, used)).not.toBeNull();
    });
  });

  it('deletes nothing under a legal hold', async () => {
    await inStore(async (store, folder) => {
      const old = execution(9_000);
      await store.executions.storeSettled(tenant, old);
      const file = await write(store, 'held', folder, 9_000);
      await expireOld({ ...store, ...rules({ legal_hold: true }) });
      expect(await store.executions.find(tenant, old.execution_id)).toEqual(old);
      expect(await store.evidence.read(tenant, file)).not.toBeNull();
    });
  });

  it('keeps files of Cards, however old', async () => {
    await inStore(async (store, folder) => {
      const file = await write(store, 'def check(): pass', folder, 9_000);
      const sha256 = Buffer.from(file, 'hex').toString('base64');
      const manifest = [{ relative_path: 'c.py', sha256, size_bytes: 17, content_type: null }];
      const registry = { ...store.registry, list: async () => ({ items: [storedCard({ manifest })], next: null }) };
      await expireOld({ ...store, registry, ...rules() });
      expect(await store.evidence.read(tenant, file)).not.toBeNull();
    });
  });
});
