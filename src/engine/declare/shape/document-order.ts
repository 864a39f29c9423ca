import type { Json } from '#contract/json.ts';
import { isList, isObject } from '../../values/kind.ts';
import type { Path } from './measure.ts';

/**
 * Puts places into the order in which a reader of the document meets them, depth first; a missing member comes after
 * the members that are there (docs/spec/verification.md §19). Linear in the members met, whatever their number.
 */
export function inDocumentOrder<T extends { readonly path: Path }>(root: Json, items: readonly T[]): readonly T[] {
  const positions = new WeakMap<object, ReadonlyMap<string, number>>();
  const keyed = items.map((item) => ({ item, key: keyOf(root, item.path, positions) }));
  keyed.sort((left, right) => compareKeys(left.key, right.key));
  return keyed.map(({ item }) => item);
}

function keyOf(root: Json, path: Path, positions: WeakMap<object, ReadonlyMap<string, number>>): readonly number[] {
  const key: number[] = [];
  let value: Json | undefined = root;
  for (const step of path) {
    if (isList(value)) {
      key.push(Number(step));
      value = value[Number(step)];
    } else if (isObject(value)) {
      const known: ReadonlyMap<string, number> = positions.get(value) ?? positionsOf(value);
      positions.set(value, known);
      key.push(known.get(String(step)) ?? Number.MAX_SAFE_INTEGER);
      value = Object.hasOwn(value, String(step)) ? value[String(step)] : undefined;
    } else {
      break;
    }
  }
  return key;
}

function positionsOf(value: object): ReadonlyMap<string, number> {
  return new Map(Object.keys(value).map((name, position) => [name, position]));
}

function compareKeys(left: readonly number[], right: readonly number[]): number {
  for (let position = 0; position < left.length && position < right.length; position += 1) {
    const difference = (left[position] ?? 0) - (right[position] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
