import type { Json, JsonObject } from '#contract/json.ts';
import { isList, isObject, memberOf } from '../values/kind.ts';

/** How many schema nodes a question may look at, `$ref` and every branch counted (verification.md §5.2, §6). */
const schemaBudget = 1024;

/** A walk over one schema document. `left` counts down; at 0 the question is given up. */
export interface SchemaWalk {
  readonly root: Json;
  left: number;
}

export function startWalk(root: Json): SchemaWalk {
  return { root, left: schemaBudget };
}

/** Takes one node from the budget; false when it is used up. */
export function spend(walk: SchemaWalk): boolean {
  walk.left -= 1;
  return walk.left >= 0;
}

/** The node that a `$ref` into the same document names; `undefined` when it is outside or not there. */
export function followRef(walk: SchemaWalk, ref: Json | undefined): Json | undefined {
  if (ref === '#') return walk.root;
  if (typeof ref !== 'string' || !ref.startsWith('#/') || ref.length > 1024) return undefined;
  let node: Json | undefined = walk.root;
  for (const part of ref.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isObject(node)) node = memberOf(node, decode(name));
    else if (isList(node) && /^(?:0|[1-9]\d{0,5})$/.test(name)) node = node[Number(name)];
    else return undefined;
  }
  return node;
}

function decode(name: string): string {
  if (!name.includes('%')) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** The branches of `anyOf` or `oneOf`; `undefined` when there is no such list. */
export function branchesOf(node: JsonObject, keyword: 'anyOf' | 'oneOf' | 'allOf'): readonly Json[] | undefined {
  const branches = memberOf(node, keyword);
  return isList(branches) && branches.length > 0 ? branches : undefined;
}

/** Whether `type` lets through a value of one of the kinds; absent lets everything through. */
export function allowsType(node: JsonObject, kinds: readonly string[]): boolean {
  const type = memberOf(node, 'type');
  if (typeof type === 'string') return kinds.includes(type);
  if (isList(type)) return type.some((kind) => typeof kind === 'string' && kinds.includes(kind));
  return true;
}
