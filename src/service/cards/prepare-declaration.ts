import type { CardRef } from '#contract/cards/reference.ts';
import { Problem } from '#contract/errors.ts';
import type { Principal } from '../auth/principal.ts';
import type { Clock, Ids } from '../ports.ts';
import type { Registry, StoredReference } from '../ports/registry.ts';
import { checkDeclaration } from './check-declaration.ts';
import { findReferenced } from './find-referenced.ts';
import { orderSubmissions } from './order-submissions.ts';
import { type PlacedCard, placeCard } from './place-card.ts';
import type { SubmittedCard, Submissions } from './read-submissions.ts';
import { mapReferences, type Target } from '#contract/cards/map-references.ts';

export interface PreparePorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly registry: Registry;
}

/** A declaration that may be stored as it is. Cards stand in dependency order. */
export interface PreparedDeclaration {
  readonly root: PlacedCard;
  /** In the order of the request. */
  readonly placed: readonly PlacedCard[];
}

/** Resolves, hashes, versions and judges the whole graph; nothing is stored (docs/spec/wire.md §4.4). */
export async function prepareDeclaration(
  ports: PreparePorts,
  principal: Principal,
  submissions: Submissions,
): Promise<PreparedDeclaration> {
  const { tenant } = principal;
  const { ordered, root, siblingOf } = orderSubmissions(submissions.cards);
  const declared = await findDeclared(ports.registry, tenant, submissions.cards);
  const placed = new Map<SubmittedCard, PlacedCard>();
  const resolve = (target: Target, pointer: string): StoredReference => {
    if (target.form === 'sibling') {
      const sibling = siblingOf(target.ref);
      const card = sibling && placed.get(sibling)?.card;
      if (card) return toStoredReference(card);
    }
    const found = target.form === 'path' ? undefined : declared.get(keyOf(target.ref));
    if (found) return found;
    throw unresolved(target, pointer);
  };
  for (const submitted of ordered) {
    const input = { tenant, dialect: submissions.dialect, submitted, resolve, now: ports.clock.now() };
    placed.set(submitted, await placeCard(ports, input));
  }
  const inOrder = submissions.cards.map((card) => required(placed.get(card)));
  await checkDeclaration(ports.registry, tenant, submissions, inOrder);
  return { root: required(placed.get(root)), placed: inOrder };
}

/** The stored Cards that the submissions name, looked up once before anything is decided. */
async function findDeclared(
  registry: Registry,
  tenant: string,
  cards: readonly SubmittedCard[],
): Promise<ReadonlyMap<string, StoredReference>> {
  const wanted = new Map<string, CardRef>();
  for (const card of cards) {
    mapReferences(card.kind, card.spec, (target) => {
      if (target.form === 'card') wanted.set(keyOf(target.ref), target.ref);
      return null;
    });
  }
  const found = new Map<string, StoredReference>();
  for (const [key, ref] of wanted) {
    const card = await findReferenced(registry, tenant, ref);
    if (card) found.set(key, toStoredReference(card));
  }
  return found;
}

function keyOf(ref: CardRef): string {
  return JSON.stringify([ref.kind, ref.space ?? null, ref.name, ref.version ?? null, ref.uid ?? null]);
}

function unresolved(target: Target, pointer: string): Problem {
  const name = target.form === 'path' ? target.path : `${target.ref.kind}/${target.ref.name}`;
  return new Problem('WYRD_REGISTRY_422_UNRESOLVED_DEPENDENCY', `${name.slice(0, 200)} does not exist`, {
    path: pointer,
  });
}

function toStoredReference({ kind, space, name, version, uid }: StoredReference): StoredReference {
  return { kind, space, name, version, uid };
}

function required(card: PlacedCard | undefined): PlacedCard {
  if (card) return card;
  throw new Problem('WYRD_SPEC_500_INTERNAL', 'a submission was not placed');
}
