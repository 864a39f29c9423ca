import type { Json, JsonObject } from '#contract/json.ts';

/** The JSON kind of a value, in the words of `is_type` (docs/spec/verification.md §7.2). */
export type Kind = 'null' | 'bool' | 'number' | 'string' | 'array' | 'object';

export function kindOf(value: Json): Kind {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
      return 'number';
    case 'string':
      return 'string';
    default:
      return Array.isArray(value) ? 'array' : 'object';
  }
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * An own member, or undefined. Names come from cards and evidence, so what a prototype offers (`constructor`,
 * `__proto__`) is not there.
 */
export function memberOf(value: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
