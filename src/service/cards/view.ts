import { mapReferences } from '#contract/cards/map-references.ts';
import { formatCardRef } from '#contract/cards/reference.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { compareBytes } from '#engine/values/canonical.ts';
import type { Dialect, StoredCard, StoredReference } from '../ports/registry.ts';
import { toResultRef } from '../verify/find-target.ts';

/** A Card as read, in one dialect (docs/spec/wire.md §4.6). */
export interface CardAnswer {
  readonly card: JsonObject;
  readonly created_at: string;
  readonly updated_at: string;
}

export function toCardAnswer(card: StoredCard, dialect: Dialect, bindingIds: readonly string[]): CardAnswer {
  const verification = bindingIds.length === 0 ? {} : { verification: { binding_ids: bindingIds } };
  return {
    card: {
      apiVersion: card.api_version,
      kind: card.kind,
      metadata: {
        name: card.name,
        version: card.version,
        ...(dialect === 'spaced' ? { space: card.space } : {}),
        uid: card.uid,
        spec_hash: card.spec_hash,
        ...(card.artifact_hash === null ? {} : { artifact_hash: card.artifact_hash }),
        ...card.metadata,
      },
      spec: viewSpec(card, dialect),
      relationships: relationshipsOf(card, dialect),
      status: { phase: card.status, ...verification },
    },
    created_at: card.created_at,
    updated_at: card.updated_at,
  };
}

/** A reference in a dialect: the flat one has no `space`. */
function viewRef(ref: StoredReference, dialect: Dialect): JsonObject & { readonly uid: string } {
  const { kind, name, version, uid } = toResultRef(ref);
  const flat = { kind, name, version: version ?? ref.version, uid: uid ?? ref.uid };
  return dialect === 'spaced' ? { ...flat, space: ref.space } : flat;
}

function viewSpec(card: StoredCard, dialect: Dialect): JsonObject {
  const byUid = new Map(card.references.map(({ ref }) => [ref.uid, ref]));
  return mapReferences(card.kind, card.spec, (target) => {
    const ref = target.form === 'path' ? undefined : byUid.get(target.ref.uid ?? '');
    return ref ? viewRef(ref, dialect) : target.form === 'path' ? target.path : viewUnknown(target.ref);
  });
}

/** Stored specs hold resolved references only; whatever else looks like one is shown as it stands. */
function viewUnknown(ref: object): JsonObject {
  return Object.fromEntries(Object.entries(ref).map(([name, value]): [string, Json] => [name, String(value)]));
}

/**
 * What the published client computes itself and compares: every referenced Card once, in byte order of its text; one
 * entry an alias for components, in component order.
 */
function relationshipsOf(card: StoredCard, dialect: Dialect): JsonObject {
  const byText = new Map<string, { readonly ref: JsonObject; readonly aliases: string[] }>();
  for (const { ref, alias } of card.references) {
    const { kind, name, version, uid } = toResultRef(ref);
    const text = formatCardRef({
      kind,
      name,
      ...(version === undefined ? {} : { version }),
      ...(uid === undefined ? {} : { uid }),
      ...(dialect === 'spaced' ? { space: ref.space } : {}),
    });
    const entry = byText.get(text) ?? { ref: viewRef(ref, dialect), aliases: [] };
    if (alias !== undefined) entry.aliases.push(alias);
    byText.set(text, entry);
  }
  if (byText.size === 0) return {};
  const sorted = [...byText].sort(([left], [right]) => compareBytes(left, right));
  return {
    outbound: sorted.map(([text]) => text),
    outbound_refs: sorted.flatMap(([, { ref, aliases }]): JsonObject[] =>
      aliases.length === 0 ? [{ ref }] : aliases.map((alias) => ({ ref, alias })),
    ),
  };
}
