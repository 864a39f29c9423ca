import { indexes } from '#contract/aws-names.ts';
import type { Page, PageRequest } from '#service/ports/page.ts';
import type { BindingFilter, BindingState, CardStatus, StoredBinding } from '#service/ports/registry.ts';
import { storeFailure } from '#service/ports/store-failure.ts';
import { getAll } from '../dynamo/batches.ts';
import { queryPages, rowsOf } from '../dynamo/reads.ts';
import {
  activationKey,
  bindingKey,
  bindingListKey,
  cardPartition,
  cardStateKey,
  type Key,
  ownedBindingPrefix,
  pairPartition,
} from '../keys.ts';
import type { Item } from '../store-call.ts';
import type { RegistryStore } from './registry-store.ts';

export async function readBinding(store: RegistryStore, tenant: string, id: string): Promise<BindingState | null> {
  const [binding] = await readBindings(store, tenant, [id]);
  return binding ?? null;
}

/** In declared order. */
export async function bindingsOfOwner(store: RegistryStore, tenant: string, owner: string): Promise<BindingState[]> {
  const rows = await rowsOf(store.dynamo, store.table, cardPartition(tenant, owner), ownedBindingPrefix);
  const inOrder = rows.sort((left, right) => Number(left.position) - Number(right.position));
  return readBindings(
    store,
    tenant,
    inOrder.map((row) => String(row.binding_id)),
  );
}

/** Newest owner first, without deleted ones. */
export async function bindingsOfPair(
  store: RegistryStore,
  tenant: string,
  verifier: string,
  subject: string,
): Promise<BindingState[]> {
  const rows = await rowsOf(store.dynamo, store.table, pairPartition(tenant, verifier, subject));
  const ids = rows.map((row) => String(row.binding_id)).reverse();
  const bindings = await readBindings(store, tenant, ids);
  return bindings.filter((binding) => binding.owner_status !== 'deleted');
}

/** Newest first, as the index shows them. */
export async function listBindings(
  store: RegistryStore,
  tenant: string,
  filter: BindingFilter,
  page: PageRequest,
): Promise<Page<BindingState>> {
  const found: string[] = [];
  let examined = 0;
  let last: string | null = null;
  for await (const rows of bindingPages(store, tenant, page)) {
    for (const row of rows) {
      if (found.length === page.limit || examined === mostExamined) {
        return { items: await readBindings(store, tenant, found), next: last };
      }
      examined += 1;
      last = String(row.binding_id);
      if (isWanted(filter, row)) found.push(last);
    }
  }
  return { items: await readBindings(store, tenant, found), next: null };
}

/** Rows that one list call looks at; a filter that fits few of them answers a short page, and a cursor to go on from. */
const mostExamined = 4_000;

function bindingPages(store: RegistryStore, tenant: string, page: PageRequest): AsyncGenerator<Item[]> {
  return queryPages(store.dynamo, {
    TableName: store.table,
    IndexName: indexes.registry.list,
    KeyConditionExpression: page.after === null ? 'list_key = :list' : 'list_key = :list AND list_order < :after',
    ExpressionAttributeValues: {
      ':list': bindingListKey(tenant),
      ...(page.after === null ? {} : { ':after': page.after }),
    },
    ScanIndexForward: false,
    Limit: 500,
  });
}

function isWanted(filter: BindingFilter, row: Item): boolean {
  const wanted = [
    [filter.owner, row.owner_uid],
    [filter.subject, row.subject_uid],
    [filter.verifier, row.verifier_uid],
  ];
  return wanted.every(([uid, held]) => uid === undefined || uid === held);
}

/** The bindings that exist for readers, in the order asked, with the states that decide read anew. */
async function readBindings(store: RegistryStore, tenant: string, ids: readonly string[]): Promise<BindingState[]> {
  const bindings = await readFrozen(store, tenant, ids);
  const uids = new Set(
    bindings.flatMap(({ owner_uid, subject_uid, verifier_uid }) => [owner_uid, subject_uid, verifier_uid]),
  );
  const owners = new Set(bindings.map(({ owner_uid }) => owner_uid));
  const items = await getAll(store.dynamo, store.table, [
    ...[...uids].map((uid) => cardStateKey(tenant, uid)),
    ...[...owners].map((uid) => activationKey(tenant, uid)),
  ]);
  const byKey = new Map(items.map((item) => [keyText(item as Key), item]));
  const status = (uid: string) => toStatus(byKey.get(keyText(cardStateKey(tenant, uid))));
  return bindings.map((binding) => ({
    ...binding,
    owner_status: status(binding.owner_uid),
    subject_status: status(binding.subject_uid),
    verifier_status: status(binding.verifier_uid),
    activated_at: toActivation(byKey.get(keyText(activationKey(tenant, binding.owner_uid)))),
  }));
}

/** What never changes of the bindings. */
async function readFrozen(store: RegistryStore, tenant: string, ids: readonly string[]): Promise<StoredBinding[]> {
  const keys = ids.map((id) => bindingKey(tenant, id));
  const unknown = keys.filter(({ pk }) => store.remembered.get(pk) === undefined);
  const texts = new Map<string, string>();
  for (const item of await getAll(store.dynamo, store.table, unknown)) {
    if (!(await store.operations.isVisible(tenant, item))) continue;
    const text = (await store.values.unpack(item.document)) ?? '';
    store.remembered.set(String(item.pk), text);
    texts.set(String(item.pk), text);
  }
  return keys.flatMap(({ pk }) => {
    const text = texts.get(pk) ?? store.remembered.get(pk);
    return text === undefined ? [] : [JSON.parse(text) as StoredBinding];
  });
}

function keyText({ pk, sk }: Key): string {
  return `${pk} ${sk}`;
}

function toStatus(state: Item | undefined): CardStatus {
  if (state === undefined) throw storeFailure('a binding to a Card that is not there', null);
  return state.status as CardStatus;
}

function toActivation(row: Item | undefined): number | null {
  return row === undefined ? null : Number(row.activated_at);
}
