import type { Declaration } from '#service/ports/registry.ts';
import { baselineItem } from '../background/baselines.ts';
import { scheduleItem } from '../background/schedules.ts';
import type { TransactItem } from '../dynamo/transact.ts';
import { cardStateKey } from '../keys.ts';
import type { Item } from '../store-call.ts';
import { uploadItems } from '../uploads.ts';
import { bindingItems, cardItems } from './card-items.ts';
import type { RegistryStore } from './registry-store.ts';

/** One row of a declaration. */
export interface NewRow {
  readonly table: string;
  readonly item: Item;
}

/** All rows that a declaration makes, its idempotency row apart. Long documents are in S3 when it resolves. */
export async function declarationRows(store: RegistryStore, tenant: string, made: Declaration): Promise<NewRow[]> {
  const cards = await Promise.all(made.cards.map((card) => cardItems(store.values, tenant, card)));
  const bindings = await Promise.all(
    made.bindings.map((binding, position) => bindingItems(store.values, tenant, binding, position)),
  );
  const uploads = made.uploads.flatMap((upload) => uploadItems(tenant, upload));
  return [
    ...[...cards, ...bindings].flat().map((item) => ({ table: store.table, item })),
    ...uploads.map((item) => ({ table: store.sessions.table, item })),
    ...(made.baselines ?? []).map(({ due_at, ...place }) => ({
      table: store.backgroundTable,
      item: baselineItem(tenant, place, due_at),
    })),
    ...(made.schedules ?? []).map((schedule) => ({
      table: store.backgroundTable,
      item: scheduleItem(tenant, schedule),
    })),
  ];
}

/** Admits a row that is not there: a version that is free, an id that is new. */
const isNew = 'attribute_not_exists(pk)';

export function newRowPut({ table, item }: NewRow): TransactItem {
  return { Put: { TableName: table, Item: item, ConditionExpression: isNew } };
}

/** Admits Cards that hold their version. */
const isRelied = '#status IN (:pending, :active, :deprecated)';

export function reliedChecks({ table }: RegistryStore, tenant: string, made: Declaration): TransactItem[] {
  const own = new Set(made.cards.map((card) => card.uid));
  return [...new Set(made.relies_on)]
    .filter((uid) => !own.has(uid))
    .map((uid) => ({
      ConditionCheck: {
        TableName: table,
        Key: cardStateKey(tenant, uid),
        ConditionExpression: isRelied,
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':pending': 'pending', ':active': 'active', ':deprecated': 'deprecated' },
      },
    }));
}

/** A transaction may touch an item once; a declaration that makes one row twice contradicts itself. */
export function hasDoubleRow(rows: readonly NewRow[]): boolean {
  return new Set(rows.map(({ table, item }) => `${table} ${item.pk} ${item.sk}`)).size < rows.length;
}

/** Bytes of an item, nearly. */
export function sizeOfItem(item: Item): number {
  return Buffer.byteLength(JSON.stringify(item), 'utf8');
}
