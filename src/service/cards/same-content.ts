import { isJsonObject } from '#contract/cards/shared.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { canonical, compareBytes } from '#engine/values/canonical.ts';
import type { StoredCard } from '../ports/registry.ts';
import { specHash } from './hashes.ts';

export type Content = Pick<StoredCard, 'kind' | 'spec' | 'spec_hash' | 'artifact_hash'>;

/**
 * Whether a version that exists has this content: its hashes, or the same bindings in another order, which are the same
 * declaration (docs/spec/background.md §3.2).
 */
export function isSameContent(card: Content, other: Content): boolean {
  if (card.artifact_hash !== other.artifact_hash) return false;
  if (card.spec_hash === other.spec_hash) return true;
  const hasBindings = card.kind === 'Service' || card.kind === 'Agent';
  return hasBindings && specHash(withoutOrder(card.spec)) === specHash(withoutOrder(other.spec));
}

/** A spec with the bindings of each subject occurrence in an order of their own. */
function withoutOrder(spec: JsonObject): JsonObject {
  const { components } = spec;
  return {
    ...inOrder(spec),
    ...(Array.isArray(components) && {
      components: components.map((component: Json) => (isJsonObject(component) ? inOrder(component) : component)),
    }),
  };
}

function inOrder(holder: JsonObject): JsonObject {
  const bindings = holder.verified_by;
  if (!Array.isArray(bindings)) return holder;
  const sorted = bindings.toSorted((one: Json, another: Json) => compareBytes(canonical(one), canonical(another)));
  return { ...holder, verified_by: sorted };
}
