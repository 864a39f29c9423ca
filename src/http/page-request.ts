import { createHash } from 'node:crypto';
import { Problem } from '#contract/errors.ts';
import type { Page, PageRequest } from '#service/ports/page.ts';

const defaultLimit = 50;
const maxLimit = 200;

/** Reads `limit` and `cursor`. A cursor belongs to its filters: with others it is refused (docs/spec/wire.md §10.2). */
export function pageRequest(query: {
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
}): PageRequest {
  const limit = query.limit === undefined ? defaultLimit : Number(query.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit || !/^\d+$/.test(query.limit ?? '0')) {
    throw new Problem('WYRD_REGISTRY_400_LIST_LIMIT_OUT_OF_RANGE', `limit must be 1 to ${maxLimit}`);
  }
  return { limit, after: query.cursor === undefined ? null : positionOf(query.cursor, filtersOf(query)) };
}

/** The list's answer, its cursor bound to the filters of the query. */
export function pageAnswer<Item>(page: Page<Item>, query: object): { readonly json: unknown } {
  const cursor =
    page.next === null ? null : Buffer.from(JSON.stringify([filtersOf(query), page.next])).toString('base64url');
  return { json: { items: page.items, next_cursor: cursor } };
}

function positionOf(cursor: string, filters: string): string {
  try {
    const [bound, position] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[];
    if (bound === filters && typeof position === 'string' && position.length <= 64) return position;
  } catch {
    // Not one of ours: the same answer as one of another list.
  }
  throw new Problem('WYRD_REGISTRY_400_CURSOR_MISMATCH', 'the cursor belongs to another list');
}

/** A digest of everything that decides which rows a list has. */
function filtersOf(query: object): string {
  const filters = Object.entries(query)
    .filter(([name, value]) => name !== 'limit' && name !== 'cursor' && value !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(filters)).digest('base64url').slice(0, 22);
}
