import type { IdempotencyRow } from '#service/ports/idempotency.ts';
import type { CardName, CardStatus } from '#service/ports/registry.ts';
import { storeFailure } from '#service/ports/store-failure.ts';
import { type TransactItem, transact } from '../dynamo/transact.ts';
import { idempotencyPut } from '../idempotency.ts';
import { cardStateKey, liveVersionKey, pastVersionKey } from '../keys.ts';
import type { Item } from '../store-call.ts';
import { isLive } from './card-items.ts';
import { readState } from './read-cards.ts';
import type { RegistryStore } from './registry-store.ts';

/** Admits a Card that is still in the status it was read in. `status` is a reserved word. */
const isUnchanged = '#status = :before';
/** Admits the version row of this Card alone. */
const isItsOwn = 'uid = :uid';

const maxAttempts = 5;

/** Pending → another status. False when it was not pending. */
export async function settlePendingCard(
  store: RegistryStore,
  tenant: string,
  uid: string,
  change: { readonly status: 'active' | 'failed' | 'expired'; readonly at: string },
  idempotency: IdempotencyRow | undefined,
): Promise<boolean> {
  const state = await readState(store, tenant, uid);
  if (state?.status !== 'pending') return false;
  const row = idempotency && (await idempotencyPut(store.sessions, tenant, idempotency, { repeatable: true }));
  const refused = await transact(store.dynamo, [...changes(store, tenant, state, change), ...(row ? [row] : [])]);
  return refused.length === 0;
}

/** Soft. True only the first time. */
export async function removeCard(store: RegistryStore, tenant: string, uid: string, at: string): Promise<boolean> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const state = await readState(store, tenant, uid);
    if (state === null || state.status === 'deleted') return false;
    const refused = await transact(store.dynamo, changes(store, tenant, state, { status: 'deleted', at }));
    if (refused.length === 0) return true;
  }
  throw storeFailure('the status of a Card kept changing', null);
}

function changes(
  { table }: RegistryStore,
  tenant: string,
  state: Item,
  change: { readonly status: CardStatus; readonly at: string },
): TransactItem[] {
  const before = state.status as CardStatus;
  const uid = String(state.uid);
  const update: TransactItem = {
    Update: {
      TableName: table,
      Key: cardStateKey(tenant, uid),
      UpdateExpression: 'SET #status = :after, updated_at = :at',
      ConditionExpression: isUnchanged,
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':before': before, ':after': change.status, ':at': change.at },
    },
  };
  if (!isLive(before) || isLive(change.status)) return [update];
  // The version is free again; the Card stays among those of its name.
  const name: CardName = { kind: String(state.kind), space: String(state.space), name: String(state.name) };
  const live: TransactItem = {
    Delete: {
      TableName: table,
      Key: liveVersionKey(tenant, name, String(state.version)),
      ConditionExpression: isItsOwn,
      ExpressionAttributeValues: { ':uid': uid },
    },
  };
  return [update, live, { Put: { TableName: table, Item: { ...pastVersionKey(tenant, name, uid), uid } } }];
}
