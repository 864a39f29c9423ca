import { indexes } from '#contract/aws-names.ts';
import type { Page, PageRequest } from '#service/ports/page.ts';
import type { CardFilter, CardName, CardStatus, StoredCard } from '#service/ports/registry.ts';
import { storeFailure } from '#service/ports/store-failure.ts';
import { getAll } from '../dynamo/batches.ts';
import { getItem, queryPages, rowsOf } from '../dynamo/reads.ts';
import { cardDocumentKey, cardListKey, cardStateKey, namePartition } from '../keys.ts';
import type { Item } from '../store-call.ts';
import type { CardDocument } from './card-items.ts';
import type { RegistryStore } from './registry-store.ts';

/** Rows that one list call looks at; a filter that fits few of them answers a short page, and a cursor to go on from. */
const mostExamined = 4_000;

export async function readCard(store: RegistryStore, tenant: string, uid: string): Promise<StoredCard | null> {
  const state = await readState(store, tenant, uid);
  return state && toCard(state, await readDocument(store, tenant, uid));
}

/** The state row of a Card that exists for readers. */
export async function readState(store: RegistryStore, tenant: string, uid: string): Promise<Item | null> {
  const state = await getItem(store.dynamo, store.table, cardStateKey(tenant, uid));
  return state && (await store.operations.isVisible(tenant, state)) ? state : null;
}

/** The Cards that are there, of those asked, newest first. Their states are read anew, whatever an index said. */
async function readCards(store: RegistryStore, tenant: string, uids: readonly string[]): Promise<StoredCard[]> {
  const keys = uids.map((uid) => cardStateKey(tenant, uid));
  const states = await visible(store, tenant, await getAll(store.dynamo, store.table, keys));
  await rememberDocuments(store, tenant, states);
  const cards = await Promise.all(
    states.map(async (state) => toCard(state, await readDocument(store, tenant, String(state.uid)))),
  );
  return cards.sort((left, right) => (left.uid < right.uid ? 1 : -1));
}

/** Every version of a name, in any status. */
export async function readVersions(store: RegistryStore, tenant: string, name: CardName): Promise<StoredCard[]> {
  const rows = await rowsOf(store.dynamo, store.table, namePartition(tenant, name));
  return readCards(store, tenant, [...new Set(rows.map((row) => String(row.uid)))]);
}

export async function listCards(
  store: RegistryStore,
  tenant: string,
  filter: CardFilter,
  page: PageRequest,
): Promise<Page<StoredCard>> {
  const found: string[] = [];
  let examined = 0;
  let last: string | null = null;
  for await (const row of cardRows(store, tenant, filter, page)) {
    if (found.length === page.limit || examined === mostExamined) {
      return { items: await matching(store, tenant, filter, found), next: last };
    }
    examined += 1;
    last = String(row.uid);
    if (matches(filter, row)) found.push(last);
  }
  return { items: await matching(store, tenant, filter, found), next: null };
}

/** State rows from the index, newest first: uids are UUIDv7 made at declaration. */
async function* cardRows(
  store: RegistryStore,
  tenant: string,
  filter: CardFilter,
  page: PageRequest,
): AsyncGenerator<Item> {
  const pages = queryPages(store.dynamo, {
    TableName: store.table,
    IndexName: indexes.registry.list,
    KeyConditionExpression: page.after === null ? 'list_key = :list' : 'list_key = :list AND list_order < :after',
    ExpressionAttributeValues: {
      ':list': cardListKey(tenant),
      ...(page.after === null ? {} : { ':after': page.after }),
    },
    ScanIndexForward: false,
    Limit: Object.values(filter).some((value) => value !== undefined) ? 500 : page.limit + 1,
  });
  for await (const rows of pages) yield* await visible(store, tenant, rows);
}

/** What the index found is read from the table, and may have changed since. */
async function matching(store: RegistryStore, tenant: string, filter: CardFilter, uids: readonly string[]) {
  const cards = await readCards(store, tenant, uids);
  return cards.filter((card) => matches(filter, { ...card }));
}

function matches(filter: CardFilter, row: Item): boolean {
  const names = ['kind', 'space', 'name', 'status'] as const;
  return names.every((name) => filter[name] === undefined || filter[name] === row[name]);
}

async function visible(store: RegistryStore, tenant: string, rows: readonly Item[]): Promise<Item[]> {
  const seen: Item[] = [];
  for (const row of rows) if (await store.operations.isVisible(tenant, row)) seen.push(row);
  return seen;
}

async function readDocument(store: RegistryStore, tenant: string, uid: string): Promise<CardDocument> {
  const key = cardDocumentKey(tenant, uid);
  const known = store.remembered.get(key.pk);
  if (known !== undefined) return JSON.parse(known) as CardDocument;
  const item = await getItem(store.dynamo, store.table, key);
  return JSON.parse(await unpackDocument(store, item)) as CardDocument;
}

/** Reads what is not in memory together. */
async function rememberDocuments(store: RegistryStore, tenant: string, states: readonly Item[]): Promise<void> {
  const keys = states.map((state) => cardDocumentKey(tenant, String(state.uid)));
  const unknown = keys.filter(({ pk }) => store.remembered.get(pk) === undefined);
  const items = await getAll(store.dynamo, store.table, unknown);
  await Promise.all(items.map((item) => unpackDocument(store, item)));
}

async function unpackDocument(store: RegistryStore, item: Item | null): Promise<string> {
  const text = item && (await store.values.unpack(item.document));
  if (item === null || text === null) throw storeFailure('a Card without its document', null);
  store.remembered.set(String(item.pk), text);
  return text;
}

function toCard(state: Item, document: CardDocument): StoredCard {
  return { ...document, status: state.status as CardStatus, updated_at: String(state.updated_at) };
}
