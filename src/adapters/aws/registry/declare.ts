import type { Declaration } from '#service/ports/registry.ts';
import { getAll } from '../dynamo/batches.ts';
import { deleteIf } from '../dynamo/conditional-write.ts';
import { transact, transactionBytes, transactionItems } from '../dynamo/transact.ts';
import { idempotencyPut } from '../idempotency.ts';
import { liveVersionKey } from '../keys.ts';
import { declarationRows, hasDoubleRow, newRowPut, reliedChecks, sizeOfItem } from './declaration-items.ts';
import { declareLarge } from './declare-large.ts';
import type { RegistryStore } from './registry-store.ts';

/** Stores all or nothing. A version that only a dead operation holds is freed, and the declaration tried once more. */
export async function declare(
  store: RegistryStore,
  tenant: string,
  declaration: Declaration,
): Promise<'stored' | 'conflict'> {
  const outcome = await declareOnce(store, tenant, declaration);
  if (outcome === 'stored') return outcome;
  const freed = await freeDeadVersions(store, tenant, declaration);
  return freed ? declareOnce(store, tenant, declaration) : 'conflict';
}

async function declareOnce(
  store: RegistryStore,
  tenant: string,
  declaration: Declaration,
): Promise<'stored' | 'conflict'> {
  const rows = await declarationRows(store, tenant, declaration);
  if (hasDoubleRow(rows)) return 'conflict';
  const checks = reliedChecks(store, tenant, declaration);
  const key = await idempotencyPut(store.sessions, tenant, declaration.idempotency, { repeatable: true });
  const bytes = rows.reduce((sum, { item }) => sum + sizeOfItem(item), 0);
  if (rows.length + checks.length + 1 > transactionItems || bytes > transactionBytes) {
    return declareLarge(store, tenant, rows, checks, key);
  }
  const refused = await transact(store.dynamo, [...rows.map(newRowPut), ...checks, key]);
  return refused.length === 0 ? 'stored' : 'conflict';
}

/** Whether a version of the declaration was held by an operation that will never be active, and is free now. */
async function freeDeadVersions(store: RegistryStore, tenant: string, declaration: Declaration): Promise<boolean> {
  const keys = declaration.cards.map((card) => liveVersionKey(tenant, card, card.version));
  const unique = [...new Map(keys.map((key) => [`${key.pk} ${key.sk}`, key])).values()];
  let freed = false;
  for (const { pk, sk, operation } of await getAll(store.dynamo, store.table, unique)) {
    if (operation === undefined) continue;
    if (!(await store.operations.abandon(tenant, String(operation), store.clock.now()))) continue;
    await deleteIf(store.dynamo, {
      table: store.table,
      key: { pk, sk },
      condition: isOfOperation,
      values: { ':operation': operation },
    });
    freed = true;
  }
  return freed;
}

/** Admits the row that this operation wrote, and not one that took its place. */
const isOfOperation = 'operation = :operation';
