import type { CardRef } from '#contract/cards/reference.ts';
import { isFullVersion } from '#contract/ids.ts';
import type { Registry, StoredCard } from '../ports/registry.ts';
import { latestInLine } from './versions.ts';

/** The space of every Card of the flat dialect (docs/spec/wire.md, dialects). */
export const defaultSpace = 'default';

/**
 * The live Card that a reference names: by uid when it has one (the name must then agree), else by its exact version,
 * else the newest of its version line. Null when there is none.
 */
export async function findReferenced(registry: Registry, tenant: string, ref: CardRef): Promise<StoredCard | null> {
  const space = ref.space ?? defaultSpace;
  if (ref.uid !== undefined) {
    const card = await registry.byUid(tenant, ref.uid);
    const agrees =
      card?.kind === ref.kind &&
      card.name === ref.name &&
      (ref.space === undefined || card.space === space) &&
      (ref.version === undefined || card.version === ref.version);
    return agrees && isLive(card) ? card : null;
  }
  const versions = await registry.versions(tenant, { kind: ref.kind, space, name: ref.name });
  const live = versions.filter(isLive);
  const wanted =
    ref.version !== undefined && isFullVersion(ref.version)
      ? ref.version
      : latestInLine(
          ref.version ?? '',
          live.map((card) => card.version),
        );
  return live.find((card) => card.version === wanted) ?? null;
}

/** Whether a Card may be referenced and run. A pending one may: its files are on their way. */
export function isLive(card: StoredCard): boolean {
  return card.status === 'active' || card.status === 'deprecated' || card.status === 'pending';
}
