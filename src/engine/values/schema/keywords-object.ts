import type { Json, JsonObject } from '#contract/json.ts';
import { isObject } from '../kind.ts';
import { searches, searchWork } from '../regex.ts';
import { charge, evaluate, isSettled, newSeen, type Place, type Run, type SchemaNode } from './evaluation.ts';
import { type Keyword, subMap, subOne } from './keyword.ts';

/** Object keywords of JSON Schema 2020-12. Only own members are looked at: `constructor` is not there unless sent. */

function evaluateMember(node: SchemaNode, value: JsonObject, name: string, at: Place | null, run: Run): boolean {
  return evaluate(node, value[name] ?? null, { parent: at, key: name }, run, newSeen(run));
}

const properties: Keyword = (value, context) => {
  const nodes = subMap(value, context);
  return (instance, at, run, seen) => {
    if (!isObject(instance)) return true;
    if (!charge(run, nodes.size)) return false;
    let passes = true;
    for (const [name, node] of nodes) {
      if (!Object.hasOwn(instance, name)) continue;
      seen?.names.add(name);
      if (evaluateMember(node, instance, name, at, run)) continue;
      passes = false;
      if (isSettled(run)) break;
    }
    return passes;
  };
};

/** Names searched by a linear engine cost by their length too. */
function searchesName(pattern: string, name: string, run: Run): boolean {
  return charge(run, 1 + Math.ceil(searchWork(pattern, name) / 128)) && searches(pattern, name);
}

const patternProperties: Keyword = (value, context) => {
  const nodes = [...subMap(value, context)];
  for (const [pattern] of nodes) context.pattern(pattern, `/${context.keyword}`);
  return (instance, at, run, seen) => {
    if (!isObject(instance)) return true;
    let passes = true;
    for (const name of Object.keys(instance)) {
      const matching = nodes.filter(([pattern]) => searchesName(pattern, name, run));
      if (matching.length > 0) seen?.names.add(name);
      for (const [, node] of matching) passes = evaluateMember(node, instance, name, at, run) && passes;
      if (!passes && isSettled(run)) break;
    }
    return passes;
  };
};

const additionalProperties: Keyword = (value, context) => {
  const node = subOne(value, context);
  const named = new Set(Object.keys((context.schema.properties as JsonObject | undefined) ?? {}));
  const patterns = Object.keys((context.schema.patternProperties as JsonObject | undefined) ?? {});
  return (instance, at, run, seen) => {
    if (!isObject(instance)) return true;
    let passes = true;
    for (const name of Object.keys(instance)) {
      if (named.has(name) || patterns.some((pattern) => searchesName(pattern, name, run))) continue;
      seen?.names.add(name);
      if (evaluateMember(node, instance, name, at, run)) continue;
      passes = false;
      if (isSettled(run)) break;
    }
    return passes;
  };
};

const unevaluatedProperties: Keyword = (value, context) => {
  const node = subOne(value, context);
  return (instance, at, run, seen) => {
    if (!isObject(instance) || seen === null || seen.allNames) return true;
    let passes = true;
    for (const name of Object.keys(instance)) {
      if (!seen.names.has(name) && !evaluateMember(node, instance, name, at, run)) passes = false;
    }
    seen.allNames = true;
    return passes;
  };
};

const propertyNames: Keyword = (value, context) => {
  const node = subOne(value, context);
  return (instance, at, run) => {
    if (!isObject(instance)) return true;
    run.silent += 1;
    const passes = Object.keys(instance).every((name) => evaluate(node, name, null, run, newSeen(run)));
    run.silent -= 1;
    return passes || context.fail(run, at);
  };
};

const required: Keyword = (value, context) => {
  const names = value as readonly string[];
  return (instance, at, run) => {
    if (!isObject(instance)) return true;
    if (!charge(run, names.length)) return false;
    return names.every((name) => Object.hasOwn(instance, name)) || context.fail(run, at);
  };
};

const dependentRequired: Keyword = (value, context) => {
  const entries = Object.entries(value as Readonly<Record<string, readonly string[]>>);
  const cost = entries.reduce((sum, [, names]) => sum + 1 + names.length, 0);
  return (instance, at, run) => {
    if (!isObject(instance)) return true;
    if (!charge(run, cost)) return false;
    const holds = entries.every(
      ([name, names]) => !Object.hasOwn(instance, name) || names.every((other) => Object.hasOwn(instance, other)),
    );
    return holds || context.fail(run, at);
  };
};

function countLimit(holds: (count: number, limit: number) => boolean): Keyword {
  return (value, context) => (instance: Json, at, run) =>
    !isObject(instance) || holds(Object.keys(instance).length, value as number) || context.fail(run, at);
}

export const objectKeywords = {
  properties,
  patternProperties,
  additionalProperties,
  propertyNames,
  required,
  dependentRequired,
  minProperties: countLimit((count, limit) => count >= limit),
  maxProperties: countLimit((count, limit) => count <= limit),
};

/** Judged after every other keyword of its schema. */
export const lastObjectKeywords = { unevaluatedProperties };
