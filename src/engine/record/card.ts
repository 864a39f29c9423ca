import { mapReferences } from '#contract/cards/map-references.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { canonical, sha256Hex } from '../values/canonical.ts';
import { isObject, memberOf } from '../values/kind.ts';

/**
 * The part of a Card that a record names: what was declared and never changes. Its phase, timestamps and the dialect it
 * is read in are left out, so the same Card has the same digest whenever and however it is read (docs/spec/records.md §1).
 * Takes a Card as the API shows it, or `{card}` around it; null when it is none.
 */
export function attestedCard(value: Json): JsonObject | null {
  const inner = isObject(value) ? memberOf(value, 'card') : undefined;
  const card = isObject(inner) ? inner : value;
  if (!isObject(card)) return null;
  const metadata = memberOf(card, 'metadata') ?? null;
  const spec = memberOf(card, 'spec') ?? null;
  if (!isObject(metadata) || !isObject(spec)) return null;
  const apiVersion = memberOf(card, 'apiVersion');
  const kind = memberOf(card, 'kind');
  const named = (['name', 'version', 'uid'] as const).map((name) => [name, memberOf(metadata, name)] as const);
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return null;
  if (!named.every((entry): entry is [(typeof entry)[0], string] => typeof entry[1] === 'string')) return null;
  return { apiVersion, kind, metadata: Object.fromEntries(named), spec: mapReferences(kind, spec, flatReference) };
}

/** References as results show them: without `space`, which only one dialect has. */
const flatReference: Parameters<typeof mapReferences>[2] = (target) => {
  if (target.form === 'path') return target.path;
  const { kind, name, version, uid } = target.ref;
  const ref = { kind, name, ...(version !== undefined && { version }), ...(uid !== undefined && { uid }) };
  return target.form === 'sibling' ? { sibling: ref } : ref;
};

/** SHA-256 of the RFC 8785 bytes of the attested part of a Card; null when it is no Card. */
export function cardDigest(card: Json): string | null {
  const attested = attestedCard(card);
  return attested === null ? null : sha256Hex(canonical(attested));
}
