import type { Json, JsonObject } from '#contract/json.ts';
import type { Selector } from '../references/reference.ts';
import { isList, isObject, memberOf } from '../values/kind.ts';
import { allowsType, branchesOf, followRef, type SchemaWalk, spend, startWalk } from './schema-walk.ts';

/**
 * Whether a schema rules out that a valid value has something at the place (docs/spec/verification.md §6, rule
 * `missing_field`). An open schema rules nothing out, nor does one that takes more than the budget to read.
 */
export function rulesOut(schema: Json, selector: Selector): boolean {
  if (selector.length === 0) return false;
  return !mayHave(schema, selector, 0, startWalk(schema));
}

function mayHave(node: Json | undefined, selector: Selector, at: number, walk: SchemaWalk): boolean {
  if (!spend(walk)) return true;
  if (node === false) return false;
  if (at === selector.length || !isObject(node)) return true;
  return hereMayHave(node, selector, at, walk) && everyConjunct(node, selector, at, walk);
}

/** `$ref` and the combinators: each of them is one more condition on the same value. */
function everyConjunct(node: JsonObject, selector: Selector, at: number, walk: SchemaWalk): boolean {
  const target = followRef(walk, memberOf(node, '$ref'));
  if (target !== undefined && !mayHave(target, selector, at, walk)) return false;
  const all = branchesOf(node, 'allOf');
  if (all !== undefined && !all.every((branch) => mayHave(branch, selector, at, walk))) return false;
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const some = branchesOf(node, keyword);
    if (some !== undefined && !some.some((branch) => mayHave(branch, selector, at, walk))) return false;
  }
  return true;
}

function hereMayHave(node: JsonObject, selector: Selector, at: number, walk: SchemaWalk): boolean {
  const step = selector[at];
  if (typeof step === 'string') {
    return allowsType(node, ['object']) && fieldMayHave(node, step, selector, at + 1, walk);
  }
  if (!allowsType(node, ['array'])) return false;
  return typeof step === 'number'
    ? indexMayHave(node, step, selector, at + 1, walk)
    : someItemMayHave(node, selector, at + 1, walk);
}

function fieldMayHave(node: JsonObject, name: string, selector: Selector, next: number, walk: SchemaWalk): boolean {
  const properties = memberOf(node, 'properties');
  const declared = isObject(properties) ? memberOf(properties, name) : undefined;
  if (declared !== undefined) return mayHave(declared, selector, next, walk);
  // Patterns are not run here: compiling them is work that an author could make large. One may match, so nothing is ruled out.
  const patterns = memberOf(node, 'patternProperties');
  if (isObject(patterns) && Object.keys(patterns).length > 0) return true;
  const additional = memberOf(node, 'additionalProperties');
  if (additional !== undefined) return mayHave(additional, selector, next, walk);
  return memberOf(node, 'unevaluatedProperties') !== false || hasApplicators(node);
}

/** Keywords beside `unevaluatedProperties` that may evaluate a property elsewhere. */
function hasApplicators(node: JsonObject): boolean {
  const names = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'];
  return names.some((name) => Object.hasOwn(node, name));
}

function indexMayHave(node: JsonObject, index: number, selector: Selector, next: number, walk: SchemaWalk): boolean {
  const most = memberOf(node, 'maxItems');
  if (typeof most === 'number' && index >= most) return false;
  const prefix = memberOf(node, 'prefixItems');
  if (isList(prefix) && index < prefix.length) return mayHave(prefix[index], selector, next, walk);
  const items = memberOf(node, 'items');
  return items === undefined || mayHave(items, selector, next, walk);
}

/** `[*]`: refused only when no item at all could have the rest. An empty list is no missing field. */
function someItemMayHave(node: JsonObject, selector: Selector, next: number, walk: SchemaWalk): boolean {
  const items = memberOf(node, 'items');
  const prefix = memberOf(node, 'prefixItems');
  if (items === undefined || typeof items === 'boolean') {
    return items !== false || !isList(prefix) || prefix.some((item) => mayHave(item, selector, next, walk));
  }
  return (
    mayHave(items, selector, next, walk) ||
    (isList(prefix) && prefix.some((item) => mayHave(item, selector, next, walk)))
  );
}
