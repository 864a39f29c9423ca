import type { LoadedCard } from './load-cards.ts';

/** Cards that are declared together: a root that no other Card names, and all that it reaches, children first. */
export interface CardGroup {
  readonly root: LoadedCard;
  readonly cards: readonly LoadedCard[];
}

/** One declaration a root, since a declaration has exactly one (docs/spec/wire.md §4.1). */
export function toDeclarations(cards: readonly LoadedCard[]): readonly CardGroup[] {
  const named = new Set(cards.flatMap(({ children }) => children));
  return cards.filter((card) => !named.has(card)).map((root) => ({ root, cards: reached(cards, root) }));
}

/** In the order of loading, which puts children first. */
function reached(cards: readonly LoadedCard[], root: LoadedCard): readonly LoadedCard[] {
  const found = new Set([root]);
  for (const card of found) for (const child of card.children) found.add(child);
  return cards.filter((card) => found.has(card));
}
