import type { IngestedRow } from '../ports/large-windows.ts';
import type { FeatureValue, WindowRow } from '../ports/observations.ts';

export interface RowGathering {
  /** In the order of ingest. */
  add(row: IngestedRow): void;
  /** Records that carry a feature, with the text they are ordered by. */
  inOrder(): Iterable<WindowRow & { readonly order: string }>;
}

interface Gathered {
  readonly record_id: string;
  readonly order: string;
  readonly values: Map<string, FeatureValue>;
}

/**
 * Rows of records that may have been sent twice: each stands where its first ingested row stands, and keeps the first
 * value of each feature (docs/spec/background.md §6.3).
 */
export function gatherRows(features: readonly string[]): RowGathering {
  const asked = new Set(features);
  const gathered = new Map<string, Gathered>();
  return {
    add({ record_id, order, features: sent }) {
      const held = gathered.get(record_id) ?? { record_id, order, values: new Map() };
      gathered.set(record_id, held);
      for (const [name, value] of sent) {
        if (asked.has(name) && !held.values.has(name)) held.values.set(name, value);
      }
    },
    *inOrder() {
      for (const one of [...gathered.values()].sort(inRowOrder)) if (one.values.size > 0) yield one;
    },
  };
}

interface Ordered {
  readonly record_id: string;
  readonly order: string;
}

/** By `created_at`, then record id: order of code units, not of a language. */
export function inRowOrder(one: Ordered, other: Ordered): number {
  return compare(one.order, other.order) || compare(one.record_id, other.record_id);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Times of one instant compare as equal text whatever the digits of their fraction. */
export function orderOf(created: string): string {
  return `${created.slice(0, 19)}.${/^\.\d{1,9}/.exec(created.slice(19))?.[0].slice(1).padEnd(9, '0') ?? '000000000'}`;
}
