import type { Json, JsonObject } from '#contract/json.ts';

/** The value a pointer names, and the object members it went through (null where it went through a list). */
export interface PointedAt {
  readonly value: Json;
  readonly members: readonly (string | null)[];
}

/**
 * RFC 6901, as citations want it (docs/spec/verification.md §5.3): no `-`, no index with a leading zero, own members
 * only. Null: the pointer is malformed or names nothing.
 */
export function resolvePointer(root: Json, pointer: string): PointedAt | null {
  if (pointer === '') return { value: root, members: [] };
  if (!pointer.startsWith('/')) return null;
  let value = root;
  const members: (string | null)[] = [];
  for (const token of pointer.slice(1).split('/')) {
    const name = unescapeToken(token);
    if (name === null || typeof value !== 'object' || value === null) return null;
    const child = Array.isArray(value) ? itemAt(value, name) : memberAt(value as JsonObject, name);
    if (child === undefined) return null;
    members.push(Array.isArray(value) ? null : name);
    value = child;
  }
  return { value, members };
}

function unescapeToken(token: string): string | null {
  if (!token.includes('~')) return token;
  return /~(?![01])/u.test(token) ? null : token.replaceAll('~1', '/').replaceAll('~0', '~');
}

function itemAt(list: readonly Json[], name: string): Json | undefined {
  return /^(?:0|[1-9][0-9]{0,15})$/u.test(name) ? list[Number(name)] : undefined;
}

function memberAt(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
