import type { Json } from '#contract/json.ts';
import { areUnique } from '../equal.ts';
import { isList } from '../kind.ts';
import {
  charge,
  evaluate,
  isSettled,
  newSeen,
  type Place,
  type Run,
  type SchemaNode,
  type Seen,
} from './evaluation.ts';
import { type Keyword, subList, subOne } from './keyword.ts';

/** List keywords of JSON Schema 2020-12. */

function evaluateItem(node: SchemaNode, list: readonly Json[], index: number, at: Place | null, run: Run): boolean {
  return evaluate(node, list[index] ?? null, { parent: at, key: index }, run, newSeen(run));
}

const prefixItems: Keyword = (value, context) => {
  const nodes = subList(value, context);
  return (instance, at, run, seen) => {
    if (!isList(instance)) return true;
    const count = Math.min(nodes.length, instance.length);
    if (seen !== null) seen.items = Math.max(seen.items, count);
    let passes = true;
    for (const [index, node] of nodes.slice(0, count).entries()) {
      if (!evaluateItem(node, instance, index, at, run)) passes = false;
    }
    return passes;
  };
};

const items: Keyword = (value, context) => {
  const node = subOne(value, context);
  const prefix = context.schema.prefixItems;
  const start = isList(prefix) ? prefix.length : 0;
  return (instance, at, run, seen) => {
    if (!isList(instance)) return true;
    if (seen !== null) seen.items = Math.max(seen.items, instance.length);
    let passes = true;
    for (let index = start; index < instance.length; index += 1) {
      if (evaluateItem(node, instance, index, at, run)) continue;
      passes = false;
      if (isSettled(run)) break;
    }
    return passes;
  };
};

const unevaluatedItems: Keyword = (value, context) => {
  const node = subOne(value, context);
  return (instance, at, run, seen) => {
    if (!isList(instance) || seen === null) return true;
    let passes = true;
    for (let index = seen.items; index < instance.length; index += 1) {
      if (!seen.picked.has(index) && !evaluateItem(node, instance, index, at, run)) passes = false;
    }
    seen.items = instance.length;
    return passes;
  };
};

const contains: Keyword = (value, context) => {
  const node = subOne(value, context);
  const min = (context.schema.minContains as number | undefined) ?? 1;
  const max = (context.schema.maxContains as number | undefined) ?? Number.POSITIVE_INFINITY;
  return (instance, at, run, seen) => {
    if (!isList(instance)) return true;
    const found = countMatches(node, instance, run, seen);
    return (found >= min && found <= max) || context.fail(run, at);
  };
};

function countMatches(node: SchemaNode, list: readonly Json[], run: Run, seen: Seen | null): number {
  let found = 0;
  run.silent += 1;
  for (let index = 0; index < list.length; index += 1) {
    if (!evaluateItem(node, list, index, null, run)) continue;
    found += 1;
    seen?.picked.add(index);
  }
  run.silent -= 1;
  return found;
}

const uniqueItems: Keyword = (value, context) => {
  if (value !== true) return null;
  return (instance, at, run) => {
    if (!isList(instance)) return true;
    if (!charge(run, instance.length)) return false;
    return areUnique(instance) || context.fail(run, at);
  };
};

function countLimit(holds: (count: number, limit: number) => boolean): Keyword {
  return (value, context) => (instance, at, run) =>
    !isList(instance) || holds(instance.length, value as number) || context.fail(run, at);
}

export const listKeywords = {
  prefixItems,
  items,
  contains,
  uniqueItems,
  minItems: countLimit((count, limit) => count >= limit),
  maxItems: countLimit((count, limit) => count <= limit),
};

/** Judged after every other keyword of its schema. */
export const lastListKeywords = { unevaluatedItems };
