import { mapReferences, type Target } from '#contract/cards/map-references.ts';
import { Problem } from '#contract/errors.ts';
import type { JsonObject } from '#contract/json.ts';
import type { Dialect, ManifestEntry, Registry, StoredCard, StoredReference } from '../ports/registry.ts';
import type { Ids } from '../ports.ts';
import { dropDefaults } from './drop-defaults.ts';
import { isLive } from './find-referenced.ts';
import { specHash } from './hashes.ts';
import type { SubmittedCard } from './read-submissions.ts';
import { type Content, isSameContent } from './same-content.ts';
import { latestInLine, nextVersion } from './versions.ts';

/** A pending Card that nobody completed lapses after a day, like its uploads (docs/spec/wire.md §5.7). */
const pendingLifeMs = 24 * 3_600_000;

/** Where a submission ends: a new version, or one that exists. */
export interface PlacedCard {
  readonly card: StoredCard;
  /** Its spec with references resolved and nothing dropped: what the compiler judges. */
  readonly authored: JsonObject;
  /** `resumed`: a pending Card of the same content, whose files are asked for again. */
  readonly fate: 'new' | 'deduplicated' | 'resumed';
}

export interface PlaceInput {
  readonly tenant: string;
  readonly dialect: Dialect;
  readonly submitted: SubmittedCard;
  /** The Card behind a target: all of them were found before. */
  readonly resolve: (target: Target) => StoredReference;
  readonly now: number;
}

/** Resolves one submission's references, hashes it and finds its version (docs/spec/wire.md §4.2, §4.3). */
export async function placeCard(
  ports: { readonly registry: Registry; readonly ids: Ids },
  input: PlaceInput,
): Promise<PlacedCard> {
  const { submitted } = input;
  const references: { ref: StoredReference; alias?: string }[] = [];
  const authored = mapReferences(submitted.kind, submitted.spec, (target, _pointer, alias) => {
    const ref = input.resolve(target);
    references.push(alias === undefined ? { ref } : { ref, alias });
    return { kind: ref.kind, name: ref.name, version: ref.version, uid: ref.uid };
  });
  const spec = dropDefaults(submitted.kind, authored);
  const content = { spec, spec_hash: specHash(spec), artifact_hash: submitted.artifact_hash };
  const versions = await ports.registry.versions(input.tenant, submitted);
  const chosen = chooseVersion(
    submitted,
    { kind: submitted.kind, ...content },
    versions.filter((card) => counts(card, input.now)),
  );
  if (typeof chosen !== 'string') return { ...existing(chosen), authored };
  const at = new Date(input.now).toISOString();
  const card: StoredCard = {
    kind: submitted.kind,
    space: submitted.space,
    name: submitted.name,
    version: chosen,
    uid: ports.ids.next(),
    api_version: submitted.api_version,
    dialect: input.dialect,
    metadata: submitted.metadata,
    ...content,
    manifest: submitted.manifest satisfies readonly ManifestEntry[],
    references,
    status: submitted.manifest.length > 0 ? 'pending' : 'active',
    created_at: at,
    updated_at: at,
  };
  return { card, authored, fate: 'new' };
}

/** A failed or lapsed version was never there; a deleted one keeps its number taken. */
function counts(card: StoredCard, now: number): boolean {
  if (card.status === 'failed' || card.status === 'expired') return false;
  return !isLapsed(card, now);
}

export function isLapsed(card: StoredCard, now: number): boolean {
  return card.status === 'pending' && now - Date.parse(card.created_at) > pendingLifeMs;
}

/** A version number for a new Card, or the existing Card that already has this content. */
function chooseVersion(
  submitted: SubmittedCard,
  content: Content,
  versions: readonly StoredCard[],
): string | StoredCard {
  const request = submitted.version;
  if (request.kind === 'exact') return chooseExact(submitted, request.version, content, versions);
  const latest = latestInLine(
    request.line,
    versions.map((card) => card.version),
  );
  const holder = versions.find((card) => card.version === latest && isLive(card));
  if (holder && isSameContent(holder, content)) return holder;
  return nextVersion(request.line, request.bump, latest);
}

/** A version has one content for ever, also after its Card was deleted (docs/spec/wire.md §4.2). */
function chooseExact(
  submitted: SubmittedCard,
  version: string,
  content: Content,
  versions: readonly StoredCard[],
): string | StoredCard {
  const holders = versions.filter((card) => card.version === version);
  if (holders.some((card) => !isSameContent(card, content))) {
    throw new Problem(
      'WYRD_REGISTRY_409_SPEC_DRIFT',
      `${submitted.kind} ${submitted.name}@${version} exists with other content`,
      { kind: submitted.kind, name: submitted.name, version },
    );
  }
  return holders.find(isLive) ?? version;
}

function existing(card: StoredCard): Omit<PlacedCard, 'authored'> {
  return { card, fate: card.status === 'pending' ? 'resumed' : 'deduplicated' };
}
