import { indexes } from '#contract/aws-names.ts';
import { chunksOf } from '../dynamo/batches.ts';
import { deleteIf } from '../dynamo/conditional-write.ts';
import { getItem, queryPages } from '../dynamo/reads.ts';
import { type Key, operationKey, operationListKey } from '../keys.ts';
import { writeAll } from '../dynamo/batches.ts';
import type { RegistryStore } from './registry-store.ts';

/** docs/spec/background.md §11 row 14. */
const keptMs = 24 * 3_600_000;
/** Rows removed at the same time. */
const atOnce = 25;

/** Admits the row that this operation wrote, and not one that took its place. */
const isOfOperation = 'operation = :operation';

/** Removes what large declarations left that were never made visible. Answers how many there were. May run twice at once. */
export async function sweepOperations(store: RegistryStore): Promise<number> {
  const before = String(store.clock.now() - keptMs).padStart(15, '0');
  let swept = 0;
  const pages = queryPages(store.dynamo, {
    TableName: store.table,
    IndexName: indexes.registry.list,
    KeyConditionExpression: 'list_key = :list AND list_order < :before',
    ExpressionAttributeValues: { ':list': operationListKey, ':before': before },
  });
  for await (const rows of pages) {
    for (const row of rows) {
      const [, tenant = '', id = ''] = String(row.list_order).split('#');
      // The index may lag: one that has become active meanwhile refuses.
      if (!(await store.operations.abandon(tenant, id, store.clock.now()))) continue;
      await removeRows(store, tenant, id);
      swept += 1;
    }
  }
  return swept;
}

async function removeRows(store: RegistryStore, tenant: string, id: string): Promise<void> {
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
