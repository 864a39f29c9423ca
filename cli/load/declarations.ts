import { mapReferences } from '#contract/cards/map-references.ts';
import type { JsonObject } from '#contract/json.ts';
import { kindOf, type LoadedCard, specOf, toJsonRef } from './load-cards.ts';

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

/** What is sent for a group, in order: each Card that brings files alone, then the rest. */
export interface GroupSubmissions {
  readonly withFiles: readonly LoadedCard[];
  readonly together: readonly JsonObject[];
}

/**
 * A declaration brings files of one Card only (docs/spec/wire.md §4.5), so these are declared before the others, which
 * then name them as Cards that exist.
 */
export function toSubmissions({ root, cards }: CardGroup): GroupSubmissions {
  const withFiles = cards.filter((card) => card.files.size > 0 && card !== root);
  if (withFiles.length === 0) return { withFiles, together: cards.map(({ card }) => card) };
  const before = new Set(withFiles.map(({ card }) => nameOf(card)));
  const rest = cards.filter((card) => !withFiles.includes(card));
  return { withFiles, together: rest.map(({ card }) => namingDeclared(card, before)) };
}

function namingDeclared(card: JsonObject, before: ReadonlySet<string>): JsonObject {
  const spec = mapReferences(kindOf(card), specOf(card), (target) => {
    if (target.form === 'path') return target.path;
    const ref = toJsonRef(target.ref);
    const isBefore = before.has(keyOf(target.ref.kind, target.ref.name, target.ref.space));
    return target.form === 'sibling' && !isBefore ? { sibling: ref } : ref;
  });
  return { ...card, spec };
}

function nameOf(card: JsonObject): string {
  const { name, space } =
    typeof card.metadata === 'object' && card.metadata !== null ? (card.metadata as JsonObject) : {};
  return keyOf(kindOf(card), String(name), typeof space === 'string' ? space : undefined);
}

function keyOf(kind: string, name: string, space: string | undefined): string {
  return `${space ?? 'default'}/${kind}/${name}`;
}
