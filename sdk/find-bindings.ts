import { isJsonObject } from '#contract/cards/shared.ts';
import { isUuidV7 } from '#contract/ids.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { CardAnswer, CardsPage, CardsQuery } from './cards.ts';

/** A Verifier, what it judges, and the Service or Agent that says so. */
export interface BoundVerifier {
  readonly verifier: BoundCard;
  readonly subject: BoundCard;
  readonly owner: BoundCard;
  /** The component of the owner that is the subject; absent when the owner itself is. */
  readonly alias?: string;
}

export interface BoundCard {
  readonly kind: string;
  readonly name: string;
  readonly version: string;
  readonly uid: string;
}

interface Reads {
  listCards(query: CardsQuery): Promise<CardsPage>;
  getCard(kind: 'Service' | 'Agent', uid: string): Promise<CardAnswer>;
}

/** Owners looked through before the caller is asked to name uids. */
const maxOwners = 1_000;

/**
 * Where the newest active Services and Agents bind a Verifier of this name (`name` or `name@version`). The published
 * client knows this from the Cards it declared; a client that declared nothing reads it from the registry.
 */
export async function findBindings(calls: Reads, name: string): Promise<readonly BoundVerifier[]> {
  const [wanted = '', version] = name.split('@', 2);
  const found: BoundVerifier[] = [];
  for (const kind of ['Service', 'Agent'] as const) {
    for (const uid of await newestOwners(calls, kind)) {
      const { card } = await calls.getCard(kind, uid);
      found.push(...bindingsOf(card).filter((bound) => bound.verifier.name === wanted));
    }
  }
  return version === undefined ? found : found.filter((bound) => bound.verifier.version === version);
}

async function newestOwners(calls: Reads, kind: 'Service' | 'Agent'): Promise<readonly string[]> {
  const newest = new Map<string, string>();
  let cursor: string | undefined;
  do {
    const page = await calls.listCards({ kind, status: 'active', limit: 200, ...(cursor !== undefined && { cursor }) });
    for (const item of page.items) {
      const key = `${item.space ?? 'default'}/${item.name}`;
      if (!newest.has(key)) newest.set(key, item.card_uid);
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && newest.size < maxOwners);
  return [...newest.values()];
}

function bindingsOf(card: CardAnswer['card']): readonly BoundVerifier[] {
  const owner = { kind: card.kind, name: card.metadata.name, version: card.metadata.version, uid: card.metadata.uid };
  const own = objects(card.spec.verified_by).flatMap((entry) => bound(entry, owner, owner));
  const components = objects(card.spec.components).flatMap((component) => {
    const subject = toBoundCard(component.ref);
    const alias = typeof component.alias === 'string' ? component.alias : '';
    if (!subject) return [];
    return objects(component.verified_by).flatMap((entry) =>
      bound(entry, subject, owner).map((binding) => ({ ...binding, alias })),
    );
  });
  return [...own, ...components];
}

function bound(entry: JsonObject, subject: BoundCard, owner: BoundCard): readonly BoundVerifier[] {
  const verifier = toBoundCard(entry.verifier);
  return verifier ? [{ verifier, subject, owner }] : [];
}

function toBoundCard(value: Json | undefined): BoundCard | undefined {
  if (value === undefined || !isJsonObject(value)) return undefined;
  const { kind, name, version, uid } = value;
  if (typeof kind !== 'string' || typeof name !== 'string' || typeof version !== 'string') return undefined;
  return typeof uid === 'string' && isUuidV7(uid) ? { kind, name, version, uid } : undefined;
}

function objects(list: Json | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
