import { z } from 'zod';
import type { Artifacts } from '#service/ports.ts';

const heldCard = z.looseObject({
  metadata: z.looseObject({ uid: z.string() }),
  artifacts: z.array(z.looseObject({ relative_path: z.string(), sha256: z.base64() })).optional(),
});
const answeredCard = z.looseObject({ card: heldCard, artifacts: heldCard.shape.artifacts });

/** Files of Artifact Cards, where both the Card with its `artifacts` and the files themselves are held. */
export function codeFiles(cards: readonly string[], files: ReadonlyMap<string, Uint8Array>): Artifacts {
  const manifests = new Map(cards.flatMap(manifestOf));
  return {
    async file(_tenant, { uid }, path) {
      const entries = manifests.get(uid ?? '') ?? [];
      const [only, second] = entries;
      const entry =
        path === undefined ? (second ? undefined : only) : entries.find(({ relative_path }) => relative_path === path);
      return entry === undefined ? null : (files.get(Buffer.from(entry.sha256, 'base64').toString('hex')) ?? null);
    },
  };
}

type Manifest = NonNullable<z.infer<typeof heldCard>['artifacts']>;

function manifestOf(text: string): readonly (readonly [string, Manifest])[] {
  const value = parse(text);
  const answered = answeredCard.safeParse(value);
  const card = answered.success ? answered.data.card : heldCard.safeParse(value).data;
  const artifacts = card?.artifacts ?? (answered.success ? answered.data.artifacts : undefined);
  return card === undefined || artifacts === undefined ? [] : [[card.metadata.uid, artifacts]];
}

/** The check itself has said what is wrong with a text that is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
