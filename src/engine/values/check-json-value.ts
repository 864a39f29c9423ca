import type { Json } from '#contract/json.ts';

export type JsonValueCheck =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly reason: 'not_json' | 'not_finite' | 'lone_surrogate' | 'depth' | 'size' };

/** A value of code may share parts of itself, so that its text is exponentially larger than it: nodes are counted as in the text. */
const maxNodes = 4_000_000;

type Failure = Exclude<JsonValueCheck, { ok: true }>['reason'];

/**
 * Holds a value that did not come out of `parseJson` (what code or a store returned) against the rules of `Json`: only
 * JSON kinds, plain objects, finite numbers, well-formed text, bounded depth and size (docs/spec/verification.md §3.3,
 * §4.5). A cycle is `depth`.
 */
export function checkJsonValue(value: unknown, maxDepth: number): JsonValueCheck {
  const budget = { nodes: maxNodes };
  const reason = faultOf(value, maxDepth, budget);
  return reason === undefined ? { ok: true, value: value as Json } : { ok: false, reason };
}

function faultOf(value: unknown, depthLeft: number, budget: { nodes: number }): Failure | undefined {
  budget.nodes -= 1;
  if (budget.nodes < 0) return 'size';
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? undefined : 'lone_surrogate';
    case 'number':
      return Number.isFinite(value) ? undefined : 'not_finite';
    case 'boolean':
      return undefined;
    case 'object':
      return value === null ? undefined : faultInside(value, depthLeft, budget);
    default:
      return 'not_json';
  }
}

function faultInside(value: object, depthLeft: number, budget: { nodes: number }): Failure | undefined {
  if (depthLeft < 1) return 'depth';
  const isList = Array.isArray(value);
  if (!isList && !isPlain(value)) return 'not_json';
  for (const name of isList ? value.keys() : Object.keys(value)) {
    if (typeof name === 'string' && !name.isWellFormed()) return 'lone_surrogate';
    const reason = faultOf(Reflect.get(value, name), depthLeft - 1, budget);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
