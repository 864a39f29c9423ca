/** One page of a list: newest first, total order, so nothing is skipped or doubled while rows arrive (docs/spec/wire.md §10.2). */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Position after the last item, for the next `after`; null when nothing is left. */
  readonly next: string | null;
}

export interface PageRequest {
  /** 1–200. */
  readonly limit: number;
  /** `next` of the page before; null for the first. */
  readonly after: string | null;
}
