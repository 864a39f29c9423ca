import type { Json } from '#contract/json.ts';
import { isList, isObject } from '#engine/values/kind.ts';

/** A value as the text of its file: two blanks a level, one member or item a line. */
export function jsonText(value: Json): string {
  return JSON.stringify(value, null, 2);
}

/**
 * The JSON pointer of each line of `jsonText`, in order: a line that opens or closes a list or object is that list or
 * object. Lazy, since only the lines that are read need one.
 */
export function* pointedLines(value: Json, pointer: string): Generator<string> {
  const children = childrenOf(value);
  yield pointer;
  if (children.length === 0) return;
  for (const [name, child] of children) yield* pointedLines(child, `${pointer}/${escapeName(name)}`);
  yield pointer;
}

function childrenOf(value: Json): readonly (readonly [string, Json])[] {
  if (isList(value)) return value.map((item, index) => [String(index), item]);
  return isObject(value) ? Object.entries(value) : [];
}

function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
