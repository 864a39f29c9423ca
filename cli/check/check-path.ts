import { type CardGroup, toDeclarations } from '../load/declarations.ts';
import { type Issue, inReadingOrder, isError } from '../load/issue.ts';
import { loadCards } from '../load/load-cards.ts';
import { checkCards } from './check-cards.ts';

export interface CheckedPath {
  readonly cards: number;
  readonly declarations: readonly CardGroup[];
  readonly issues: readonly Issue[];
  readonly isGood: boolean;
}

/** Loads and judges everything at a path; what `check` prints and what `apply` insists on first. */
export async function checkPath(path: string, workingFolder: string): Promise<CheckedPath> {
  const { cards, issues } = await loadCards(path, workingFolder);
  const declarations = toDeclarations(cards);
  const found = inReadingOrder([...issues, ...declarations.flatMap((group) => checkCards(group.cards))]);
  return { cards: cards.length, declarations, issues: found, isGood: cards.length > 0 && !found.some(isError) };
}
