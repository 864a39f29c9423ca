import type { Json, JsonObject } from '#contract/json.ts';
import { isObject } from '../kind.ts';
import { evaluateInPlace, evaluateSilently, isSettled, newSeen, type SchemaNode } from './evaluation.ts';
import { type Keyword, subList, subMap, subOne } from './keyword.ts';

/** Applicators of JSON Schema 2020-12 that judge the same value: core §8.2.3, §10.2. */

const ref: Keyword = (value, context) => {
  const target = context.reference(value as string);
  return (instance, at, run, seen) => evaluateInPlace(target(), instance, at, run, seen);
};

/** Core §8.2.3.2: a dynamic anchor is looked for in the outermost resource that was entered. */
const dynamicRef: Keyword = (value, context) => {
  const text = value as string;
  const target = context.reference(text);
  const name = text.slice(text.indexOf('#') + 1);
  return (instance, at, run, seen) => {
    let node: SchemaNode = target();
    if (text.includes('#') && node.resource.dynamicAnchors.get(name) === node) {
      node = run.scope.find((resource) => resource.dynamicAnchors.has(name))?.dynamicAnchors.get(name) ?? node;
    }
    return evaluateInPlace(node, instance, at, run, seen);
  };
};

const allOf: Keyword = (value, context) => {
  const nodes = subList(value, context);
  return (instance, at, run, seen) => {
    let passes = true;
    for (const node of nodes) {
      if (evaluateInPlace(node, instance, at, run, seen)) continue;
      passes = false;
      if (isSettled(run)) break;
    }
    return passes;
  };
};

const anyOf: Keyword = (value, context) => {
  const nodes = subList(value, context);
  return (instance, at, run, seen) => {
    let passes = false;
    for (const node of nodes) {
      if (!evaluateSilently(node, instance, run, seen)) continue;
      passes = true;
      // Every branch that passes adds to what was evaluated.
      if (seen === null) break;
    }
    return passes || context.fail(run, at);
  };
};

const oneOf: Keyword = (value, context) => {
  const nodes = subList(value, context);
  return (instance, at, run, seen) => {
    let matches = 0;
    for (const node of nodes) {
      if (evaluateSilently(node, instance, run, seen)) matches += 1;
      if (matches > 1) break;
    }
    return matches === 1 || context.fail(run, at);
  };
};

const not: Keyword = (value, context) => {
  const node = subOne(value, context);
  return (instance, at, run) => !evaluateSilently(node, instance, run, newSeen(run)) || context.fail(run, at);
};

/** `then` and `else` are judged here: without `if` they do nothing. */
const conditional: Keyword = (value, context) => {
  const condition = subOne(value, context);
  const branchOf = (name: 'then' | 'else') => {
    const schema: Json | undefined = context.schema[name];
    return schema === undefined ? null : context.sub(schema, `/${name}`);
  };
  const yes = branchOf('then');
  const no = branchOf('else');
  return (instance, at, run, seen) => {
    const next = evaluateSilently(condition, instance, run, seen) ? yes : no;
    return next === null || evaluateInPlace(next, instance, at, run, seen);
  };
};

/** Compiled even without `if`, since a reference may point there. */
const branch: Keyword = (value, context) => {
  subOne(value, context);
  return null;
};

const dependentSchemas: Keyword = (value, context) => {
  const nodes = subMap(value as JsonObject, context);
  return (instance, at, run, seen) => {
    if (!isObject(instance)) return true;
    let passes = true;
    for (const [name, node] of nodes) {
      if (Object.hasOwn(instance, name) && !evaluateInPlace(node, instance, at, run, seen)) passes = false;
    }
    return passes;
  };
};

export const inPlaceKeywords = {
  $ref: ref,
  $dynamicRef: dynamicRef,
  allOf,
  anyOf,
  oneOf,
  not,
  if: conditional,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, never awaited
  then: branch,
  else: branch,
  dependentSchemas,
};
