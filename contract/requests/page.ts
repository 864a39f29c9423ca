import { z } from 'zod';

/** `limit` as it stands in a query; its range is checked by the list itself, which has its own code (docs/spec/wire.md §10.2). */
export const pageQuery = {
  limit: z.string().max(8).optional(),
  cursor: z.string().max(2048).optional(),
};

/** docs/spec/wire.md §10.2. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ items: z.array(item), next_cursor: z.string().nullable() });
}
