import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Executions } from '#service/ports/executions.ts';
import type { BackgroundStore } from './background/background-store.ts';
import { putIf } from './dynamo/conditional-write.ts';
import { getItem } from './dynamo/reads.ts';
import { isNew } from './executions/attempt-conditions.ts';
import { toExecution, toExecutionItem } from './executions/execution-item.ts';
import { listExecutions, type NameOf, newestOf } from './executions/execution-list.ts';
import { writeWith } from './executions/write-with.ts';
import { executionKey, executionListKey, listShards } from './keys.ts';
import type { Values } from './values.ts';

export interface ExecutionStore {
  readonly dynamo: DynamoDBDocumentClient;
  readonly table: string;
  readonly values: Values;
  /** Null under a legal hold. */
  readonly retentionDays: number | null;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Makes the tenant one that has records, before it has its first. */
  readonly noteTenant: (tenant: string) => Promise<void>;
}

/** Executions in DynamoDB. Lists come from indexes and may lag behind a write by moments; `find` does not. */
export function dynamoExecutions(store: ExecutionStore, background: BackgroundStore, nameOf: NameOf): Executions {
  const { dynamo, table, values } = store;
  return {
    async storeSettled(tenant, execution, touches = []) {
      if (execution.record !== null) await store.noteTenant(tenant);
      const item = await toExecutionItem(values, tenant, execution, {
        retentionDays: store.retentionDays,
        now: store.now(),
      });
      if (touches.length === 0) {
        await putIf(dynamo, { table, item, condition: isNew });
        return;
      }
      const put = { Put: { TableName: table, Item: item, ConditionExpression: isNew } };
      await writeWith(background, tenant, execution.execution_id, [put], { touches });
    },
    async find(tenant, executionId) {
      const item = await getItem(dynamo, table, executionKey(tenant, executionId));
      return item && (await toExecution(values, item));
    },
    list: (tenant, filter, page) => listExecutions(dynamo, table, nameOf, tenant, filter, page),
    async lastOfBindings(tenant, bindingIds) {
      const found = await Promise.all(
        bindingIds.map(async (id) => [id, await lastOfBinding(dynamo, table, tenant, id)] as const),
      );
      return new Map(found.filter((entry): entry is [string, string] => entry[1] !== null));
    },
  };
}

/** `order_key` ends with the id, and begins with the time of admission. */
async function lastOfBinding(
  dynamo: DynamoDBDocumentClient,
  table: string,
  tenant: string,
  bindingId: string,
): Promise<string | null> {
  const newest = await Promise.all(
    Array.from({ length: listShards }, (_unused, shard) =>
      newestOf(dynamo, table, 'binding', executionListKey(tenant, 'binding', bindingId, shard)),
    ),
  );
  const orders = newest.flatMap((row) => (row === null ? [] : [String(row.order_key)])).sort();
  return orders.at(-1)?.split('#')[1] ?? null;
}
