import { z } from 'zod';
import { mapReferences } from '#contract/cards/map-references.ts';
import { type CardRef, cardRefSchema, formatCardRef } from '#contract/cards/reference.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { ManifestFile, References } from '../declare/types.ts';
import { canonical, sha256Hex } from '../values/canonical.ts';
import { isObject, memberOf } from '../values/kind.ts';
import { attestedCard } from './card.ts';
import type { Ledger } from './ledger.ts';
import { readJsonText } from './read-text.ts';

export interface HeldCard {
  readonly ref: CardRef & { readonly uid: string };
  readonly apiVersion: string;
  readonly spec: JsonObject;
  readonly manifest: readonly ManifestFile[];
  readonly sha256: string;
}

export interface HeldCards {
  byUid(uid: string): HeldCard | undefined;
  readonly references: References;
}

const maxCards = 1_000;
const maxCardLength = 1024 * 1024;

const manifestSchema = z.array(
  z.looseObject({
    relative_path: z.string(),
    sha256: z.string(),
    size_bytes: z.number(),
    content_type: z.string().nullish(),
  }),
);

const attestedSchema = z.strictObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.strictObject({ name: z.string(), version: z.string(), uid: z.string() }),
  spec: z.custom<JsonObject>((value) => isObject(value as Json)),
});

/** Cards as the API answers them, as JSON texts. What is no declared Card is reported and left out. */
export function holdCards(texts: readonly string[], ledger: Ledger): HeldCards {
  const cards = new Map<string, HeldCard>();
  for (const [position, text] of texts.slice(0, maxCards).entries()) {
    const at = `cards/${position}`;
    const value = readJsonText(
      text,
      maxCardLength,
      { maxDepth: 136, integers: 'exact' },
      { ledger, step: 'digests', at },
    );
    const card = value === undefined ? null : toHeld(value);
    if (card !== null) cards.set(card.ref.uid, card);
    else if (value !== undefined) ledger.undecidable('digests', 'card_not_declared', at);
  }
  if (texts.length > maxCards) ledger.undecidable('digests', 'too_many_cards', 'cards');
  const byName = new Map([...cards.values()].map((card) => [nameOf(card.ref), card]));
  return {
    byUid: (uid) => cards.get(uid),
    references: {
      card(ref) {
        const card = ref.uid === undefined ? byName.get(nameOf(ref)) : cards.get(ref.uid);
        return card && { ref: card.ref, kind: card.ref.kind, spec: card.spec, manifest: card.manifest };
      },
    },
  };
}

function toHeld(value: Json): HeldCard | null {
  const parsed = attestedSchema.safeParse(attestedCard(value));
  if (!parsed.success) return null;
  const { apiVersion, kind, metadata, spec } = parsed.data;
  const ref = cardRefSchema.safeParse({ kind, ...metadata });
  if (!ref.success) return null;
  const sha256 = sha256Hex(canonical({ apiVersion, kind, metadata, spec }));
  return { ref: { ...ref.data, uid: metadata.uid }, apiVersion, spec, manifest: manifestOf(value), sha256 };
}

/** `artifacts` beside or inside the Card: the file list of an Artifact or of code in files. */
function manifestOf(value: Json): readonly ManifestFile[] {
  if (!isObject(value)) return [];
  const inner = memberOf(value, 'card');
  const own = isObject(inner) ? memberOf(inner, 'artifacts') : undefined;
  const parsed = manifestSchema.safeParse(own ?? memberOf(value, 'artifacts'));
  if (!parsed.success) return [];
  return parsed.data.map(({ relative_path, sha256, size_bytes, content_type = null }) => ({
    relative_path,
    sha256,
    size_bytes,
    content_type,
  }));
}

function nameOf({ kind, name, version }: CardRef): string {
  return formatCardRef({ kind, name, ...(version !== undefined && { version }) });
}

/** Cards that a spec names and that are not held, as texts. */
export function missingReferences(card: HeldCard, cards: HeldCards): readonly string[] {
  const missing: string[] = [];
  mapReferences(card.ref.kind, card.spec, (target) => {
    if (target.form === 'path') return target.path;
    const { ref } = target;
    if (cards.references.card(ref) === undefined) missing.push(nameOf(ref));
    return null;
  });
  return missing;
}
