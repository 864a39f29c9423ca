import { type Dialect, type Envelope, envelopeSchemas } from '#contract/cards/envelope.ts';
import { isJsonObject } from '#contract/cards/shared.ts';
import { type Finding, Problem, toProblem } from '#contract/errors.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { utf8Length } from '#engine/values/canonical.ts';
import type { CardName, ManifestEntry } from '../ports/registry.ts';
import { defaultSpace } from './find-referenced.ts';
import { artifactHash } from './hashes.ts';
import { parseVersionRequest, type VersionRequest } from './versions.ts';

/** docs/spec/wire.md §4.9. */
const maxSpecBytes = 262_144;

/** One Card as it was sent, its envelope checked; its spec is still anything. */
export interface SubmittedCard extends CardName {
  readonly index: number;
  readonly api_version: Envelope['apiVersion'];
  readonly version: VersionRequest;
  /** As written; absent when the server picks. */
  readonly authored_version: string | undefined;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  readonly manifest: readonly ManifestEntry[];
  readonly artifact_hash: string | null;
}

export interface Submissions {
  readonly dialect: Dialect;
  readonly cards: readonly SubmittedCard[];
}

/** Decodes the list of Cards of a declaration. Reports every bad envelope at once. */
export function readSubmissions(submissions: readonly JsonObject[]): Submissions {
  const dialect = submissions.some(hasSpace) ? 'spaced' : 'flat';
  const findings: Finding[] = [];
  const cards = submissions.map((submission, index) => {
    const parsed = envelopeSchemas[dialect].safeParse(submission);
    if (parsed.success) return toSubmitted(parsed.data, index);
    for (const issue of parsed.error.issues) findings.push(envelopeFinding(issue, index));
    return undefined;
  });
  if (findings.length > 0) throw toProblem(findings);
  const read = cards.filter((card) => card !== undefined);
  refuseTwice(read);
  return { dialect, cards: read };
}

function hasSpace(submission: JsonObject): boolean {
  const metadata = submission.metadata;
  return metadata !== undefined && isJsonObject(metadata) && (metadata.space ?? null) !== null;
}

function envelopeFinding(
  issue: { readonly path: readonly PropertyKey[]; readonly message: string; readonly keys?: readonly string[] },
  index: number,
): Finding {
  const path = [...issue.path, ...(issue.keys?.slice(0, 1) ?? [])].map((token) => `/${String(token)}`).join('');
  const message = `submission ${index}: ${issue.message}`;
  return { code: 'WYRD_REGISTRY_400_INVALID_CARD_SPEC', rule: 'shape', path, message };
}

function toSubmitted(envelope: Envelope, index: number): SubmittedCard {
  const { metadata, spec, kind } = envelope;
  if (utf8Length(JSON.stringify(spec)) > maxSpecBytes) {
    throw new Problem('WYRD_REGISTRY_400_SPEC_TOO_LARGE', `submission ${index}: the spec is above 256 KiB`);
  }
  const manifest = toManifest(envelope, index);
  const hash = artifactHash(manifest);
  if ((metadata.artifact_hash ?? hash) !== hash) {
    throw new Problem(
      'WYRD_REGISTRY_400_MANIFEST_HASH_MISMATCH',
      `submission ${index}: artifact_hash is not that of the manifest`,
    );
  }
  return {
    index,
    kind,
    space: metadata.space ?? defaultSpace,
    name: metadata.name,
    api_version: envelope.apiVersion,
    version: parseVersionRequest(metadata.version ?? undefined, metadata.bump ?? undefined),
    authored_version: metadata.version ?? undefined,
    metadata: authoredTexts(metadata),
    spec,
    manifest,
    artifact_hash: hash,
  };
}

function authoredTexts({ labels, annotations }: Envelope['metadata']): JsonObject {
  const entries: [string, Json][] = [];
  if (labels && Object.keys(labels).length > 0) entries.push(['labels', labels]);
  if (annotations && Object.keys(annotations).length > 0) entries.push(['annotations', annotations]);
  return Object.fromEntries(entries);
}

/** One file a path, and no path the folder of another (docs/spec/wire.md §4.5). */
function toManifest(envelope: Envelope, index: number): readonly ManifestEntry[] {
  const entries = (envelope.artifacts ?? []).map((entry) => ({ ...entry, content_type: entry.content_type ?? null }));
  const paths = new Set(entries.map((entry) => entry.relative_path));
  const clash = entries.find((entry) => foldersOf(entry.relative_path).some((folder) => paths.has(folder)));
  if (paths.size !== entries.length || clash) {
    throw new Problem(
      'WYRD_REGISTRY_400_INVALID_ARTIFACT_PATH',
      `submission ${index}: one artifact path twice, or inside another`,
    );
  }
  return entries;
}

function foldersOf(path: string): readonly string[] {
  const segments = path.split('/');
  return segments.slice(1).map((_segment, depth) => segments.slice(0, depth + 1).join('/'));
}

function refuseTwice(cards: readonly SubmittedCard[]): void {
  const seen = new Set<string>();
  for (const card of cards) {
    const key = [card.kind, card.space, card.name, card.authored_version ?? ''].join(' ');
    if (seen.has(key)) {
      throw new Problem(
        'WYRD_SPEC_400_DUPLICATE_SUBMISSION',
        `submission ${card.index}: ${card.kind} ${card.name} is submitted twice`,
      );
    }
    seen.add(key);
  }
  const withFiles = cards.filter((card) => card.manifest.length > 0);
  if (withFiles.length > 1) {
    throw new Problem(
      'WYRD_REGISTRY_400_HEAVY_ARTIFACT_NOT_SOLE_SUBMISSION',
      'one declaration brings files of one Card only',
    );
  }
}
