import { mapReferences, type Target } from '#contract/cards/map-references.ts';
import type { CardRef } from '#contract/cards/reference.ts';
import { Problem } from '#contract/errors.ts';
import { defaultSpace } from './find-referenced.ts';
import type { SubmittedCard } from './read-submissions.ts';

export interface OrderedSubmissions {
  /** Those that are referenced stand before those that reference them. */
  readonly ordered: readonly SubmittedCard[];
  /** Those that no other references. */
  readonly roots: readonly SubmittedCard[];
  readonly siblingOf: (ref: CardRef) => SubmittedCard | undefined;
}

/** Resolves siblings among each other: none unknown, no circle (docs/spec/wire.md §4.1). */
export function orderSubmissions(cards: readonly SubmittedCard[]): OrderedSubmissions {
  const siblingOf = (ref: CardRef) => cards.find((card) => isNamedBy(card, ref));
  const children = new Map(cards.map((card) => [card, siblingsOf(card, siblingOf)]));
  const ordered = sortByDependency(cards, children);
  const referenced = new Set([...children.values()].flat());
  return { ordered, roots: cards.filter((card) => !referenced.has(card)), siblingOf };
}

/** The one Card that a declaration is about; asked last, since a rule may say better what is wrong. */
export function requireRoot(roots: readonly SubmittedCard[]): SubmittedCard {
  const [root] = roots;
  if (root && roots.length === 1) return root;
  throw new Problem('WYRD_SPEC_400_VALIDATION', 'a declaration has exactly one Card that no other references', {
    rule: 'root',
    roots: roots.map((card) => `${card.kind}/${card.name}`),
  });
}

function isNamedBy(card: SubmittedCard, ref: CardRef): boolean {
  return (
    card.kind === ref.kind &&
    card.name === ref.name &&
    card.space === (ref.space ?? defaultSpace) &&
    (ref.version === undefined || card.authored_version === undefined || card.authored_version === ref.version)
  );
}

function siblingsOf(card: SubmittedCard, siblingOf: (ref: CardRef) => SubmittedCard | undefined): SubmittedCard[] {
  const found: SubmittedCard[] = [];
  mapReferences(card.kind, card.spec, (target, pointer) => {
    found.push(...siblingAt(card, target, pointer, siblingOf));
    return null;
  });
  return found;
}

function siblingAt(
  card: SubmittedCard,
  target: Target,
  pointer: string,
  siblingOf: (ref: CardRef) => SubmittedCard | undefined,
): SubmittedCard[] {
  if (target.form === 'path') {
    throw new Problem('WYRD_REGISTRY_400_UNRESOLVED_PATH_REF', `submission ${card.index}: a file path is left over`, {
      path: pointer,
    });
  }
  if (target.form === 'card') return [];
  const sibling = siblingOf(target.ref);
  if (sibling) return [sibling];
  throw new Problem('WYRD_REGISTRY_400_UNRESOLVED_INLINE_REFERENCE', `submission ${card.index}: no such sibling`, {
    path: pointer,
  });
}

/** Layer by layer, without recursion: 500 Cards in one chain are no deeper stack than two. */
function sortByDependency(
  cards: readonly SubmittedCard[],
  children: ReadonlyMap<SubmittedCard, readonly SubmittedCard[]>,
): readonly SubmittedCard[] {
  const waiting = new Map(cards.map((card) => [card, new Set(children.get(card))]));
  const ordered: SubmittedCard[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting].filter(([, left]) => left.size === 0).map(([card]) => card);
    if (ready.length === 0) {
      throw new Problem('WYRD_REGISTRY_400_DEPENDENCY_CYCLE', 'the submitted Cards refer to each other in a circle');
    }
    for (const card of ready) waiting.delete(card);
    for (const left of waiting.values()) for (const card of ready) left.delete(card);
    ordered.push(...ready);
  }
  return ordered;
}
