import type { Item } from '../store-call.ts';

/** Rows of one part of a list, newest first. */
export type Rows = AsyncIterator<Item>;

/**
 * Merges parts of one list, each newest first by `order_key`, into the whole, newest first. The parts are asked for their
 * first rows at the same time.
 */
export async function* mergeNewest(parts: readonly Rows[]): AsyncGenerator<Item> {
  const heads = await Promise.all(parts.map(async (rows) => ({ rows, head: await rows.next() })));
  for (;;) {
    let newest: (typeof heads)[number] | undefined;
    for (const part of heads) {
      if (part.head.done) continue;
      if (!newest || newest.head.done || orderOf(part.head.value) > orderOf(newest.head.value)) newest = part;
    }
    if (!newest || newest.head.done) return;
    yield newest.head.value;
    newest.head = await newest.rows.next();
  }
}

export function orderOf(item: Item): string {
  return String(item.order_key);
}
