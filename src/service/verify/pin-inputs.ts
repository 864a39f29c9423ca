import { type ErrorCode, Problem } from '#contract/errors.ts';
import type { PinnedArtifact, PinnedInput } from '#contract/evidence.ts';
import { type MediaFormat, toMediaFormat } from '#contract/formats.ts';
import type { JsonObject } from '#contract/json.ts';
import type { Attachment, Slot, Verifier } from '#engine/plan.ts';
import { checkInputs, checkMedia, type DeclaredInput, type InputIssue } from '#engine/run/check-inputs.ts';
import { findReferenced } from '../cards/find-referenced.ts';
import type { ManifestEntry, Registry, StoredCard } from '../ports/registry.ts';
import type { Evidence } from '../ports.ts';
import { toResultRef } from './find-target.ts';

export interface PinPorts {
  readonly evidence: Evidence;
  readonly registry: Registry;
}

export interface PinnedInputs {
  readonly inputs: Readonly<Record<string, PinnedInput>>;
  /** Slots whose declared file the tenant does not hold: missing evidence at run time (docs/spec/wire.md §5.5). */
  readonly not_stored: readonly string[];
}

type Pinned = { readonly pinned: PinnedInput } | { readonly issue: InputIssue };

/**
 * Fixes what the run will judge: every input checked against its slot, Artifacts resolved to one file each, fixed files
 * of workspaces added. Throws with every refused input at once (docs/spec/verification.md §3.3).
 */
export async function pinInputs(
  ports: PinPorts,
  tenant: string,
  verifier: Verifier,
  inputs: JsonObject,
): Promise<PinnedInputs> {
  const { issues, declared } = checkInputs(verifier, inputs, 'caller');
  const found = [...issues];
  const pinned = new Map<string, PinnedInput>();
  for (const [slot, input] of declared) {
    const result = await pinInput(ports, tenant, slot, verifier.slots[slot], input);
    if ('issue' in result) found.push(result.issue);
    else pinned.set(slot, result.pinned);
  }
  if (found.length > 0) throw inputProblem(found);
  for (const [slot, attachment] of Object.entries(pinnedAttachments(verifier))) pinned.set(slot, attachment);
  return { inputs: toRecord(pinned), not_stored: await slotsNotStored(ports.evidence, tenant, pinned) };
}

/** The fixed files of a Verifier's workspaces, as they are pinned (docs/spec/verification.md §4.4). */
export function pinnedAttachments({ attachments }: Verifier): Readonly<Record<string, PinnedInput>> {
  return Object.fromEntries(Object.entries(attachments).map(([slot, attachment]) => [slot, pinAttachment(attachment)]));
}

/** Inputs named in one refusal: more than a Verifier has slots. */
const maxReported = 100;

/** A refusal that names every bad input; the first slot in byte order decides the code. */
function inputProblem(issues: readonly InputIssue[]): Problem {
  const sorted = [...issues].sort((left, right) => (left.slot < right.slot ? -1 : 1));
  const first = sorted[0];
  if (!first) return new Problem('WYRD_SPEC_500_INTERNAL', 'a refusal without an input');
  const place = first.pointer ? ` at ${first.pointer}` : '';
  return new Problem(first.code satisfies ErrorCode, `input ${first.slot}: ${first.message}${place}`, {
    field: `/inputs/${escapePointer(first.slot)}`,
    slot: first.slot,
    ...(first.pointer === undefined ? {} : { pointer: first.pointer }),
    inputs: sorted
      .slice(0, maxReported)
      .map(({ slot, pointer, message }) => ({ slot, pointer: pointer ?? '', message })),
  });
}

async function pinInput(
  ports: PinPorts,
  tenant: string,
  slotName: string,
  slot: Slot | undefined,
  input: DeclaredInput,
): Promise<Pinned> {
  if (input.kind !== 'artifact') return { pinned: input };
  const card = await findReferenced(ports.registry, tenant, input.artifact);
  if (card?.status !== 'active') return invalid(slotName, 'the Artifact is not known');
  const entry = selectFile(card, input.path);
  if (typeof entry === 'string') return invalid(slotName, entry);
  const format = formatOf(entry);
  if (!format) return invalid(slotName, 'the file of the Artifact has no known format');
  const issue = slot?.type === 'media' ? checkMedia(slot, { format, size_bytes: entry.size_bytes }) : null;
  return issue ? { issue: { slot: slotName, ...issue.issue } } : { pinned: artifactFile(card, entry, format) };
}

function selectFile(card: StoredCard, path: string | undefined): ManifestEntry | string {
  if (path === undefined) {
    const [only, second] = card.manifest;
    if (!only) return 'the Artifact holds no file';
    return second ? 'the Artifact holds several files, so a path is needed' : only;
  }
  return card.manifest.find((entry) => entry.relative_path === path) ?? 'the Artifact holds no file of that path';
}

/** By the declared content type, else by the name's ending. */
function formatOf(entry: ManifestEntry): MediaFormat | undefined {
  const declared = entry.content_type === null ? undefined : toMediaFormat(entry.content_type);
  if (declared) return declared;
  const name = entry.relative_path.split('/').at(-1) ?? '';
  return toMediaFormat(name.toLowerCase().endsWith('.tar.gz') ? 'tar.gz' : (name.split('.').at(-1) ?? ''));
}

function artifactFile(card: StoredCard, entry: ManifestEntry, format: MediaFormat): PinnedArtifact {
  return {
    kind: 'artifact',
    artifact: toResultRef(card),
    path: entry.relative_path,
    sha256: Buffer.from(entry.sha256, 'base64').toString('hex'),
    size_bytes: entry.size_bytes,
    format,
  };
}

/** A fixed file without a known format is read as text, the form that source files have. */
function pinAttachment({ artifact, path, sha256, size_bytes, format }: Attachment): PinnedArtifact {
  return { kind: 'artifact', artifact, path, sha256, size_bytes, format: format ?? 'text' };
}

async function slotsNotStored(
  evidence: Evidence,
  tenant: string,
  pinned: ReadonlyMap<string, PinnedInput>,
): Promise<readonly string[]> {
  const files = [...pinned].flatMap(([slot, input]) => ('sha256' in input ? [{ slot, sha256: input.sha256 }] : []));
  if (files.length === 0) return [];
  const held = await evidence.sizes(tenant, [...new Set(files.map((file) => file.sha256))]);
  return files.filter((file) => !held.has(file.sha256)).map((file) => file.slot);
}

function invalid(slot: string, message: string): Pinned {
  return { issue: { code: 'WYRD_VERIFICATION_400_INPUT_INVALID', slot, message } };
}

function toRecord(pinned: ReadonlyMap<string, PinnedInput>): Readonly<Record<string, PinnedInput>> {
  return Object.fromEntries(pinned);
}

export function escapePointer(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}
