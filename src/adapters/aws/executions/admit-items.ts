import type { Execution } from '#service/ports/executions.ts';
import type { TransactItem } from '../dynamo/transact.ts';
import type { ExecutionStore } from '../executions.ts';
import { isNew } from './attempt-conditions.ts';
import { openAttributes } from './attempt-steps.ts';
import { toExecutionItem } from './execution-item.ts';

/** The put of a new execution, as part of a transaction: one that is settled at birth is in no index of open work. */
export async function admitItems(store: ExecutionStore, tenant: string, execution: Execution): Promise<TransactItem[]> {
  const item = await toExecutionItem(
    store.values,
    tenant,
    { ...execution, attempts: 0 },
    { retentionDays: store.retentionDays, now: store.now() },
  );
  const open = execution.status === 'pending' ? openAttributes(tenant, execution) : {};
  return [{ Put: { TableName: store.table, Item: { ...item, ...open }, ConditionExpression: isNew } }];
}
