import { Problem } from '#contract/errors.ts';
import { isFullVersion, isUuidV7, isVersionLine } from '#contract/ids.ts';
import type { JsonObject } from '#contract/json.ts';
import type { Principal } from '../auth/principal.ts';
import type { Page, PageRequest } from '../ports/page.ts';
import type { CardFilter, CardStatus, Dialect, Registry, StoredCard } from '../ports/registry.ts';
import type { Clock } from '../ports.ts';
import { toRfc3339 } from '../time.ts';
import { defaultSpace } from './find-referenced.ts';
import { isLapsed } from './place-card.ts';
import { isPrerelease, latestInLine, versionFilter } from './versions.ts';
import { type CardAnswer, toCardAnswer } from './view.ts';

export interface ReadPorts {
  readonly clock: Clock;
  readonly registry: Registry;
}

/** A Card by name. `space` given: the spaced dialect; absent: the flat one (docs/spec/wire.md, dialects). */
export interface CardNameRequest {
  readonly kind: string;
  readonly name: string;
  readonly space?: string | undefined;
  /** A full version, a line (`1`, `1.2`), or absent for the newest. */
  readonly version?: string | undefined;
}

/** One Card by uid, in the dialect it was declared in. Deleted Cards are read as unknown. */
export async function readCardByUid(
  ports: ReadPorts,
  principal: Principal,
  kind: string,
  uid: string,
): Promise<CardAnswer> {
  return answerOf(ports, principal, await cardByUid(ports, principal, uid, kind));
}

export async function readCardByName(
  ports: ReadPorts,
  principal: Principal,
  request: CardNameRequest,
): Promise<CardAnswer> {
  const card = await cardByName(ports, principal, request);
  return answerOf(ports, principal, card, request.space === undefined ? 'flat' : 'spaced');
}

/** A live Card of the tenant, or the 404 that unknown, deleted and other tenants' Cards share. */
export async function cardByUid(
  ports: ReadPorts,
  principal: Principal,
  uid: string,
  kind?: string,
): Promise<StoredCard> {
  const card = isUuidV7(uid) ? await ports.registry.byUid(principal.tenant, uid) : null;
  const status = card ? statusOf(card, ports.clock.now()) : 'deleted';
  if (!card || status === 'deleted' || (kind !== undefined && card.kind !== kind)) throw notFound();
  return { ...card, status };
}

export async function cardByName(
  ports: ReadPorts,
  principal: Principal,
  request: CardNameRequest,
): Promise<StoredCard> {
  const { kind, name, version } = request;
  const found = await ports.registry.versions(principal.tenant, { kind, name, space: request.space ?? defaultSpace });
  const now = ports.clock.now();
  const cards = found
    .map((card) => ({ ...card, status: statusOf(card, now) }))
    .filter((card) => card.status !== 'deleted');
  const card = cards.find((candidate) => candidate.version === wantedVersion(cards, version));
  if (!card) throw notFound();
  return card;
}

function wantedVersion(cards: readonly StoredCard[], version: string | undefined): string | undefined {
  if (version !== undefined && isFullVersion(version)) return version;
  if (version !== undefined && !isVersionLine(version)) {
    throw new Problem('WYRD_REGISTRY_400_INVALID_VERSION_BLOCK', 'a version is `1`, `1.2` or a full one');
  }
  const active = cards.filter((card) => card.status === 'active' || card.status === 'deprecated');
  return latestInLine(
    version ?? '',
    active.map((card) => card.version),
  );
}

/** A pending Card whose time has passed reads as expired, whether or not anything has written that yet. */
function statusOf(card: StoredCard, now: number): CardStatus {
  return isLapsed(card, now) ? 'expired' : card.status;
}

async function answerOf(
  ports: ReadPorts,
  principal: Principal,
  card: StoredCard,
  dialect?: Dialect,
): Promise<CardAnswer> {
  const isOwner = card.kind === 'Service' || card.kind === 'Agent';
  const bindings = isOwner ? await ports.registry.bindingsOf(principal.tenant, card.uid) : [];
  return toCardAnswer(
    card,
    dialect ?? card.dialect,
    bindings.map((binding) => binding.binding_id),
  );
}

export interface ListRequest extends CardFilter {
  readonly version_range?: string;
  readonly include_prerelease: boolean;
  /** Part of the name. */
  readonly name_contains?: string;
}

/** Cards newest first. A page may be short when its filters left out rows; only `next` says whether more follow. */
export async function listCards(
  ports: ReadPorts,
  principal: Principal,
  request: ListRequest,
  page: PageRequest,
): Promise<Page<JsonObject>> {
  const { version_range, include_prerelease, name_contains, ...filter } = request;
  const inRange = version_range === undefined ? () => true : versionFilter(version_range, include_prerelease);
  const found = await ports.registry.list(principal.tenant, filter, page);
  const items = found.items.filter(
    (card) =>
      (filter.status !== undefined || card.status !== 'deleted') &&
      (include_prerelease || !isPrerelease(card.version)) &&
      inRange(card.version) &&
      (name_contains === undefined || card.name.includes(name_contains)),
  );
  return { items: items.map(toItem), next: found.next };
}

function toItem(card: StoredCard): JsonObject {
  return {
    card_uid: card.uid,
    kind: card.kind,
    ...(card.dialect === 'spaced' ? { space: card.space } : {}),
    name: card.name,
    version: card.version,
    spec_hash: card.spec_hash,
    artifact_hash: card.artifact_hash,
    status: card.status,
    created_at: card.created_at,
    updated_at: card.updated_at,
  };
}

/** Soft; bindings of the Card end with it. `deleted` is true only the first time (docs/spec/wire.md §4.8). */
export async function deleteCard(
  ports: ReadPorts,
  principal: Principal,
  card: { readonly kind: string; readonly uid: string },
): Promise<{ readonly card_uid: string; readonly deleted: boolean }> {
  const stored = isUuidV7(card.uid) ? await ports.registry.byUid(principal.tenant, card.uid) : null;
  if (!stored || stored.kind !== card.kind) throw notFound();
  const deleted = await ports.registry.remove(principal.tenant, stored.uid, toRfc3339(ports.clock.now()));
  return { card_uid: stored.uid, deleted };
}

function notFound(): Problem {
  return new Problem('WYRD_REGISTRY_404_CARD_NOT_FOUND', 'no such Card');
}
