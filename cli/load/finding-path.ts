import { isJsonObject } from '#contract/cards/shared.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { Tokens } from './yaml-tree.ts';

/** The steps of a JSON Pointer. */
export function pointerTokens(pointer: string): Tokens {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * Where a finding points in its Card (docs/spec/verification.md §14): a JSON Pointer into the Card, a path of dots and
 * `[n]` from the spec, or, of a repeated id, the id itself.
 */
export function findingTokens(card: JsonObject, rule: string, path: string): Tokens {
  if (path === '' || path.startsWith('/')) return pointerTokens(path);
  if (rule === 'duplicate_id') return secondUse(card.spec ?? null, path) ?? ['spec'];
  return ['spec', ...dottedTokens(path)];
}

/** Names hold no dot or bracket of their own, except below a schema, where the nearest place that exists will do. */
function dottedTokens(path: string): Tokens {
  return path.split('.').flatMap((part) => {
    const indexes = [...part.matchAll(/\[(\d{1,9})\]/g)].map(([, index]) => Number(index));
    const bracket = part.indexOf('[');
    return [bracket === -1 ? part : part.slice(0, bracket), ...indexes];
  });
}

/** Steps, their requirements and whole requirements share one namespace; the first use of an id is the good one. */
function secondUse(spec: Json, id: string): Tokens | undefined {
  const uses: Tokens[] = [];
  const collect = (list: Json | undefined, path: Tokens) => {
    if (!Array.isArray(list)) return;
    for (const [index, item] of list.entries()) {
      if (!isJsonObject(item)) continue;
      if (item.id === id) uses.push([...path, index, 'id']);
      collect(item.requirements, [...path, index, 'requirements']);
    }
  };
  if (isJsonObject(spec)) {
    collect(spec.steps, ['spec', 'steps']);
    collect(spec.requirements, ['spec', 'requirements']);
  }
  return uses[1];
}
