import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '#local/open-store.ts';
import type { OpenStores } from './background-world.ts';

/** The embedded stores in a folder of their own; a restart opens the same folder again. */
export const openEmbeddedStores: OpenStores = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-background-'));
  let stores = await openStore(folder);
  return {
    stores,
    async restart() {
      await stores.close();
      stores = await openStore(folder);
      return stores;
    },
    async [Symbol.asyncDispose]() {
      await stores.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
