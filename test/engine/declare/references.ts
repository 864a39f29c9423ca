import { createHash } from 'node:crypto';
import { type CardRef, cardRefSchema } from '#contract/cards/reference.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { ManifestFile, References, ResolvedCard } from '#engine/declare/compile.ts';

/** A uid made from a name, so that a test can say what it expects. */
export function uidOf({ kind, name }: Pick<CardRef, 'kind' | 'name'>): string {
  const hex = createHash('sha256').update(`${kind}/${name}`).digest('hex');
  return `01900000-0000-7000-8000-${hex.slice(0, 12)}`;
}

function resolved(ref: CardRef, spec: Json, manifest?: readonly ManifestFile[]): ResolvedCard {
  return { ref: { ...ref, uid: uidOf(ref) }, kind: ref.kind, spec, ...(manifest === undefined ? {} : { manifest }) };
}

/** A registry of exactly these Cards, found by kind and name. */
export function cardsIn(cards: readonly JsonObject[], manifest: readonly ManifestFile[] = []): References {
  const known = new Map<string, ResolvedCard>();
  for (const { kind, metadata, spec } of cards) {
    const { name, version } = metadata as { name: string; version: string };
    const ref = cardRefSchema.parse({ kind, name, version });
    known.set(`${ref.kind}/${ref.name}`, resolved(ref, spec ?? null, kind === 'Artifact' ? manifest : undefined));
  }
  return { card: (ref) => known.get(`${ref.kind}/${ref.name}`) };
}

const judge: JsonObject = {
  prompt: {
    provider: 'openai',
    model: 'judge-1',
    messages: [{ role: 'user', content: 'Judge {{doc}}' }],
    response_format: 'verdict',
  },
  execution_route: { kind: 'wyrd_gateway', deployment: 'stub' },
};

/** A registry in which whatever is asked for is there, for cases that declare a bare Verifier. */
export const lenientReferences: References = { card: (ref) => resolved(ref, ref.kind === 'Agent' ? judge : {}) };
