import type { Json } from '#contract/json.ts';
import { isList, isObject, memberOf } from '../values/kind.ts';
import type { Selector } from './reference.ts';

export type Selection = { readonly found: true; readonly value: Json } | { readonly found: false };

export type EachSelection =
  /** `list` is what the result records: the whole flat list of items (docs/spec/verification.md §8.2). */
  | { readonly kind: 'items'; readonly items: readonly Json[]; readonly list: readonly Json[] }
  /** Some member lacks the rest of the path, or `[*]` met something that is no list. */
  | { readonly kind: 'missing' }
  /** Without a wildcard, and the value is no list. */
  | { readonly kind: 'not_array' };

const missing = { found: false } as const;

/**
 * Reads one value (docs/spec/verification.md §6). Own members only: what a language puts on every object is not there.
 * A present null is a value; a wildcard selects nothing here.
 */
export function select(value: Json, selector: Selector): Selection {
  let place: Json | undefined = value;
  for (const step of selector) {
    place = childOf(place, step);
    if (place === undefined) return missing;
  }
  return { found: true, value: place };
}

/**
 * Reads the items of `each` (§8.2): `[*]` walks a list, several flatten into one list in document order, a list below
 * the last wildcard stays one item. The work is linear in the value: every step maps distinct places to distinct places.
 */
export function selectEach(value: Json, selector: Selector): EachSelection {
  if (!selector.some((step) => typeof step === 'object')) return selectWhole(value, selector);
  let places: Json[] = [value];
  for (const step of selector) {
    const next = typeof step === 'object' ? flatten(places) : childrenOf(places, step);
    if (next === undefined) return { kind: 'missing' };
    places = next;
  }
  return { kind: 'items', items: places, list: places };
}

function selectWhole(value: Json, selector: Selector): EachSelection {
  const selection = select(value, selector);
  if (!selection.found) return { kind: 'missing' };
  const list = selection.value;
  return isList(list) ? { kind: 'items', items: list, list } : { kind: 'not_array' };
}

function flatten(places: readonly Json[]): Json[] | undefined {
  const items: Json[] = [];
  for (const place of places) {
    if (!isList(place)) return undefined;
    for (const item of place) items.push(item);
  }
  return items;
}

function childrenOf(places: readonly Json[], step: string | number): Json[] | undefined {
  const children: Json[] = [];
  for (const place of places) {
    const child = childOf(place, step);
    if (child === undefined) return undefined;
    children.push(child);
  }
  return children;
}

function childOf(place: Json, step: Selector[number]): Json | undefined {
  if (typeof step === 'string') return isObject(place) ? memberOf(place, step) : undefined;
  return typeof step === 'number' && isList(place) ? place[step] : undefined;
}
