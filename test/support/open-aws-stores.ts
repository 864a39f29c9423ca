import { anotherProcess, freshAwsStore } from './aws-store.ts';
import type { OpenStores } from './background-world.ts';

/** Tables and buckets of its own in the local AWS; a restart is another process on them. */
export const openAwsStores: OpenStores = async (clock) => {
  const store = await freshAwsStore(clock);
  return {
    stores: store.ports,
    restart: async () => anotherProcess(store, { clock }).ports,
    [Symbol.asyncDispose]: async () => {},
  };
};
