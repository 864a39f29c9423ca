import { formatCardRef } from '#contract/cards/reference.ts';
import type { References, ResolvedCard } from '#engine/declare/types.ts';
import type { Registry, StoredCard } from '../ports/registry.ts';
import { toResultRef } from '../verify/find-target.ts';

/** What the compiler may look up, and the host by uid. */
export interface GatheredReferences extends References {
  byUid(uid: string): StoredCard | undefined;
}

/** Cards that lead on from a Verifier: its Agents, their Prompts, Artifacts. Deeper chains do not exist in the contract. */
const maxDepth = 4;

/**
 * All Cards that some Cards name, and those named by them, so that the pure compiler can look them up. Cards of the same
 * declaration are given along and shadow the stored ones.
 */
export async function gatherReferences(
  registry: Registry,
  tenant: string,
  cards: readonly StoredCard[],
): Promise<GatheredReferences> {
  const known = new Map(cards.map((card) => [card.uid, card]));
  let frontier = cards;
  for (let depth = 0; depth < maxDepth && frontier.length > 0; depth += 1) {
    const wanted = new Set(frontier.flatMap((card) => card.references.map(({ ref }) => ref.uid)));
    const missing = [...wanted].filter((uid) => !known.has(uid));
    const found = await Promise.all(missing.map((uid) => registry.byUid(tenant, uid)));
    frontier = found.filter((card) => card !== null);
    for (const card of frontier) known.set(card.uid, card);
  }
  return lookUp(known);
}

function lookUp(cards: ReadonlyMap<string, StoredCard>): GatheredReferences {
  const byText = new Map([...cards.values()].map((card) => [nameOf(card), card]));
  return {
    byUid: (uid) => cards.get(uid),
    card(ref) {
      const card = ref.uid === undefined ? byText.get(formatCardRef({ ...ref, space: undefined })) : cards.get(ref.uid);
      return card ? toResolved(card) : undefined;
    },
  };
}

function nameOf(card: StoredCard): string {
  const { uid: _uid, ...ref } = toResultRef(card);
  return formatCardRef(ref);
}

function toResolved(card: StoredCard): ResolvedCard {
  return { ref: toResultRef(card), kind: card.kind, spec: card.spec, manifest: card.manifest };
}
