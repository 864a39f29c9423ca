import { Problem } from '#contract/errors.ts';
import type { Principal } from '../auth/principal.ts';
import { readChecked } from '../evidence/read-checked.ts';
import { storageProblem } from '../evidence/receive-upload.ts';
import type { ManifestEntry } from '../ports/registry.ts';
import type { Transfers } from '../ports/uploads.ts';
import type { Evidence } from '../ports.ts';
import { cardByUid, type ReadPorts } from './read-cards.ts';

export interface ArtifactPorts extends ReadPorts {
  readonly evidence: Evidence;
  readonly transfers: Transfers;
}

export interface FileRequest {
  readonly card_uid: string;
  readonly relative_path: string;
}

const defaultTtlSeconds = 900;

/** The manifest of any Card; empty for one without files (docs/spec/wire.md §4.7). */
export async function listArtifacts(
  ports: ReadPorts,
  principal: Principal,
  cardUid: string,
): Promise<readonly ManifestEntry[]> {
  return (await cardByUid(ports, principal, cardUid)).manifest;
}

/** Where the bytes of one file are fetched. `sha256` is base64, as in the manifest. */
export async function planDownload(
  ports: ArtifactPorts,
  principal: Principal,
  request: FileRequest & { readonly ttl_secs: number | null },
): Promise<{
  readonly plan: { readonly get_url: string; readonly ttl_secs: number };
  readonly size_bytes: number;
  readonly sha256: string;
}> {
  const entry = await findFile(ports, principal, request);
  const ttl = request.ttl_secs ?? defaultTtlSeconds;
  const file = { card_uid: request.card_uid, relative_path: entry.relative_path, sha256: toHex(entry) };
  const url = await ports.transfers.downloadUrl(principal.tenant, file, ttl);
  return { plan: { get_url: url, ttl_secs: ttl }, size_bytes: entry.size_bytes, sha256: entry.sha256 };
}

/** The bytes themselves, on a host that serves them. */
export async function readArtifact(
  ports: ArtifactPorts,
  principal: Principal,
  request: FileRequest,
): Promise<{ readonly bytes: Uint8Array; readonly content_type: string | null }> {
  const entry = await findFile(ports, principal, request);
  const bytes = await readChecked(ports.evidence, principal.tenant, toHex(entry));
  if (bytes === 'mismatch')
    throw new Problem('WYRD_REGISTRY_507_ARTIFACT_VERIFY_FAILED', 'the stored bytes are not those of the file');
  if (!bytes)
    throw storageProblem('WYRD_STORAGE_404_UPLOAD_NOT_FOUND', 'the file was never uploaded', 'upload_not_found');
  return { bytes, content_type: entry.content_type };
}

async function findFile(ports: ArtifactPorts, principal: Principal, request: FileRequest): Promise<ManifestEntry> {
  const card = await cardByUid(ports, principal, request.card_uid);
  const entry = card.manifest.find((candidate) => candidate.relative_path === request.relative_path);
  if (entry) return entry;
  throw new Problem('WYRD_REGISTRY_404_CARD_NOT_FOUND', 'the Card has no file of that path');
}

function toHex(entry: ManifestEntry): string {
  return Buffer.from(entry.sha256, 'base64').toString('hex');
}
