import { randomUUID } from 'node:crypto';
import { valuePrefixes } from '#contract/aws-names.ts';
import { storeFailure } from '#service/ports/store-failure.ts';
import { chunksOf } from '../dynamo/batches.ts';
import { putIf } from '../dynamo/conditional-write.ts';
import { type TransactItem, transact, transactionBytes, transactionItems } from '../dynamo/transact.ts';
import { operationKey, operationListKey } from '../keys.ts';
import { type NewRow, newRowPut, sizeOfItem } from './declaration-items.ts';
import { operationLeaseMs } from './operations.ts';
import type { RegistryStore } from './registry-store.ts';
import { removeOperation } from './remove-operation.ts';

/** Checks that the flip itself makes; beside them it has the operation and the idempotency row. */
const checksOfFlip = 90;

/** Admits an operation that nobody ended and whose lease lasts. `state` is a reserved word. */
const isWriting = '#state = :writing AND lease_until >= :now';
const isNew = 'attribute_not_exists(pk)';

/**
 * Writes a declaration that is too large for one transaction under an operation row, and makes it visible by that row's
 * single change to `active`, together with the idempotency row (docs/spec/wire.md §4.4). Whatever ends it before leaves
 * rows that no reader sees and `sweepOperations` removes.
 */
export async function declareLarge(
  store: RegistryStore,
  tenant: string,
  rows: readonly NewRow[],
  checks: readonly TransactItem[],
  idempotency: TransactItem,
): Promise<'stored' | 'conflict'> {
  const id = randomUUID();
  await openOperation(store, tenant, id, rows);
  const own = rows.map(({ table, item }) => ({
    table,
    item: table === store.table ? { ...item, operation: id } : item,
  }));
  const early = checks.slice(checksOfFlip);
  const giveUp = async () => {
    // Refused for certain, so it is not active: its versions are free at once, and not when its lease is over.
    if (await store.operations.abandon(tenant, id, Number.MAX_SAFE_INTEGER)) await removeOperation(store, tenant, id);
    return 'conflict' as const;
  };
  const steps = [...chunksOf(early, transactionItems), ...inTransactions(own).map((chunk) => chunk.map(newRowPut))];
  for (const step of steps) {
    if ((await transact(store.dynamo, step)).length > 0) return giveUp();
  }
  const flip = flipUpdate(store, tenant, id);
  const refused = await transact(store.dynamo, [flip, idempotency, ...checks.slice(0, checksOfFlip)]);
  return refused.length === 0 ? 'stored' : giveUp();
}

async function openOperation(store: RegistryStore, tenant: string, id: string, rows: readonly NewRow[]): Promise<void> {
  const now = store.clock.now();
  const keys = rows.filter(({ table }) => table === store.table).map(({ item: { pk, sk } }) => ({ pk, sk }));
  const owner = `${valuePrefixes.cards}${tenant}/operations/${id}`;
  const item = {
    ...operationKey(tenant, id),
    ...(await store.values.pack(owner, { keys: JSON.stringify(keys) })),
    state: 'writing',
    lease_until: now + operationLeaseMs,
    opened_at: now,
    list_key: operationListKey,
    list_order: `${String(now).padStart(15, '0')}#${tenant}#${id}`,
  };
  if (!(await putIf(store.dynamo, { table: store.table, item, condition: isNew }))) {
    throw storeFailure('the id of an operation is taken', null);
  }
}

function flipUpdate({ table, clock }: RegistryStore, tenant: string, id: string): TransactItem {
  return {
    Update: {
      TableName: table,
      Key: operationKey(tenant, id),
      UpdateExpression: 'SET #state = :active REMOVE list_key, list_order',
      ConditionExpression: isWriting,
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: { ':active': 'active', ':writing': 'writing', ':now': clock.now() },
    },
  };
}

/** Rows in their order, as many a transaction as its limits allow. */
function inTransactions(rows: readonly NewRow[]): NewRow[][] {
  const chunks: NewRow[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = sizeOfItem(row.item);
    const chunk = chunks.at(-1);
    if (!chunk || chunk.length === transactionItems || bytes + size > transactionBytes) {
      chunks.push([row]);
      bytes = size;
    } else {
      chunk.push(row);
      bytes += size;
    }
  }
  return chunks;
}
