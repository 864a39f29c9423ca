import { mapReferences, type Target } from '#contract/cards/map-references.ts';
import type { CardRef } from '#contract/cards/reference.ts';
import { type Finding, Problem, toProblem } from '#contract/errors.ts';
import type { Principal } from '../auth/principal.ts';
import type { Connections } from '../ports/connections.ts';
import type { Registry, StoredReference } from '../ports/registry.ts';
import type { Clock, Ids } from '../ports.ts';
import { checkDeclaration } from './check-declaration.ts';
import { connectionsOf } from './connections-of.ts';
import { findReferenced } from './find-referenced.ts';
import { type GatheredReferences, gatherReferences } from './gather-references.ts';
import { orderSubmissions, requireRoot } from './order-submissions.ts';
import { type PlacedCard, placeCard } from './place-card.ts';
import type { Submissions, SubmittedCard } from './read-submissions.ts';

export interface PreparePorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly registry: Registry;
  readonly connections: Connections;
}

/** A declaration that may be stored as it is. Cards stand in dependency order. */
export interface PreparedDeclaration {
  readonly root: PlacedCard;
  /** In the order of the request. */
  readonly placed: readonly PlacedCard[];
  /** Cards of the declaration and those they name, by uid. */
  readonly references: GatheredReferences;
}

/** Resolves, hashes, versions and judges the whole graph; nothing is stored (docs/spec/wire.md §4.4). */
export async function prepareDeclaration(
  ports: PreparePorts,
  principal: Principal,
  submissions: Submissions,
): Promise<PreparedDeclaration> {
  const { tenant } = principal;
  const { ordered, roots, siblingOf } = orderSubmissions(submissions.cards);
  const declared = await findDeclared(ports.registry, tenant, submissions.cards);
  const placed = new Map<SubmittedCard, PlacedCard>();
  const resolve = (target: Target): StoredReference => {
    if (target.form === 'card') return required(declared.get(keyOf(target.ref)));
    const sibling = target.form === 'sibling' ? siblingOf(target.ref) : undefined;
    return toStoredReference(required(placed.get(required(sibling))).card);
  };
  for (const submitted of ordered) {
    const input = { tenant, dialect: submissions.dialect, submitted, resolve, now: ports.clock.now() };
    placed.set(submitted, await placeCard(ports, input));
  }
  const inOrder = submissions.cards.map((card) => required(placed.get(card)));
  const references = await gatherReferences(
    ports.registry,
    tenant,
    inOrder.map(({ card }) => card),
  );
  checkDeclaration(references, submissions, inOrder, await connectionsOf(ports.connections, tenant, inOrder));
  return { root: required(placed.get(requireRoot(roots))), placed: inOrder, references };
}

/** The stored Cards that the submissions name, looked up once before anything is decided; all unknown ones at once. */
async function findDeclared(
  registry: Registry,
  tenant: string,
  cards: readonly SubmittedCard[],
): Promise<ReadonlyMap<string, StoredReference>> {
  const found = new Map<string, StoredReference>();
  const findings: Finding[] = [];
  for (const { ref, path } of declaredTargets(cards)) {
    const key = keyOf(ref);
    const card = found.has(key) ? null : await findReferenced(registry, tenant, ref);
    if (card) found.set(key, toStoredReference(card));
    if (!found.has(key)) findings.push(unresolved(ref, path));
  }
  if (findings.length > 0) throw toProblem(findings);
  return found;
}

function declaredTargets(cards: readonly SubmittedCard[]): readonly { readonly ref: CardRef; readonly path: string }[] {
  const targets: { ref: CardRef; path: string }[] = [];
  for (const card of cards) {
    mapReferences(card.kind, card.spec, (target, path) => {
      if (target.form === 'card') targets.push({ ref: target.ref, path });
      return null;
    });
  }
  return targets;
}

function keyOf(ref: CardRef): string {
  return JSON.stringify([ref.kind, ref.space ?? null, ref.name, ref.version ?? null, ref.uid ?? null]);
}

function unresolved(ref: CardRef, path: string): Finding {
  const message = `${ref.kind} ${ref.name.slice(0, 64)} does not exist`;
  return { code: 'WYRD_REGISTRY_422_UNRESOLVED_DEPENDENCY', rule: 'dependency', path, message };
}

function toStoredReference({ kind, space, name, version, uid }: StoredReference): StoredReference {
  return { kind, space, name, version, uid };
}

function required<Value>(value: Value | undefined): Value {
  if (value !== undefined) return value;
  throw new Problem('WYRD_SPEC_500_INTERNAL', 'a submission was not placed');
}
