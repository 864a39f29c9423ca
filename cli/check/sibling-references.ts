import { z } from 'zod';
import { manifestEntrySchema } from '#contract/cards/artifact.ts';
import { type CardRef, cardRefSchema } from '#contract/cards/reference.ts';
import { isJsonObject } from '#contract/cards/shared.ts';
import type { JsonObject } from '#contract/json.ts';
import type { References, ResolvedCard } from '#engine/declare/types.ts';
import { kindOf, type LoadedCard, specOf } from '../load/load-cards.ts';

/** What the compiler may look up while there is no registry: the Cards that were loaded together. */
export function siblingsAsReferences(cards: readonly LoadedCard[]): References {
  const byName = new Map<string, ResolvedCard[]>();
  for (const { card } of cards) {
    const resolved = toResolved(card);
    if (resolved) byName.set(keyOf(resolved.ref), [...(byName.get(keyOf(resolved.ref)) ?? []), resolved]);
  }
  return {
    card: (ref) => byName.get(keyOf(ref))?.find((card) => fits(card.ref, ref)),
  };
}

function keyOf({ kind, name, space }: CardRef): string {
  return `${space ?? 'default'}/${kind}/${name}`;
}

/** A version that the server will pick fits whatever is asked for. */
function fits(card: CardRef, asked: CardRef): boolean {
  return asked.version === undefined || card.version === undefined || card.version === asked.version;
}

/** The Card's own name, if it has a good one. */
export function toRef(card: JsonObject): CardRef | undefined {
  const { metadata } = card;
  const { name, version, space } = metadata !== undefined && isJsonObject(metadata) ? metadata : {};
  const parsed = cardRefSchema.safeParse({
    kind: card.kind,
    name,
    ...(typeof version === 'string' && { version }),
    ...(typeof space === 'string' && { space }),
  });
  return parsed.success ? parsed.data : undefined;
}

function toResolved(card: JsonObject): ResolvedCard | undefined {
  const ref = toRef(card);
  if (ref === undefined) return undefined;
  const manifest = z.array(manifestEntrySchema).safeParse(card.artifacts);
  const files = (manifest.data ?? []).map((entry) => ({ ...entry, content_type: entry.content_type ?? null }));
  return { ref, kind: kindOf(card), spec: specOf(card), manifest: files };
}
