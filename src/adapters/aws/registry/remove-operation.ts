import { chunksOf, writeAll } from '../dynamo/batches.ts';
import { deleteIf } from '../dynamo/conditional-write.ts';
import { getItem } from '../dynamo/reads.ts';
import { type Key, operationKey } from '../keys.ts';
import type { RegistryStore } from './registry-store.ts';

/** Rows removed at the same time. */
const atOnce = 25;

/** Admits the row that this operation wrote, and not one that took its place. */
const isOfOperation = 'operation = :operation';

/** Removes the rows of an abandoned operation, then the operation: whoever breaks off leaves what a later one finds. */
export async function removeOperation(store: RegistryStore, tenant: string, id: string): Promise<void> {
  const operation = await getItem(store.dynamo, store.table, operationKey(tenant, id));
  const keys = JSON.parse((await store.values.unpack(operation?.keys)) ?? '[]') as readonly Key[];
  for (const chunk of chunksOf(keys, atOnce)) {
    await Promise.all(
      chunk.map((key) =>
        deleteIf(store.dynamo, { table: store.table, key, condition: isOfOperation, values: { ':operation': id } }),
      ),
    );
  }
  await writeAll(store.dynamo, store.table, [{ delete: operationKey(tenant, id) }]);
}
