import { indexes } from '#contract/aws-names.ts';
import { queryPages } from '../dynamo/reads.ts';
import { operationListKey } from '../keys.ts';
import type { RegistryStore } from './registry-store.ts';
import { removeOperation } from './remove-operation.ts';

/** docs/spec/background.md §11 row 14. */
const keptMs = 24 * 3_600_000;
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
      await removeOperation(store, tenant, id);
      swept += 1;
    }
  }
  return swept;
}
