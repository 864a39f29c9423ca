import { type CardRef, toCardRef } from '#contract/cards/reference.ts';
import { type MediaFormat, toMediaFormat } from '#contract/formats.ts';
import type { Attachment } from '../../plan.ts';
import { compareBytes } from '../../values/canonical.ts';
import { type Context, lookUp, toResultRef } from '../context.ts';
import type { AuthoredWorkspace } from '../rules/workspace.ts';
import type { ManifestFile } from '../types.ts';

type FixedFiles = Exclude<AuthoredWorkspace[string], string>;

/** A fixed file at its place below a workspace path. */
interface MountedFile {
  /** Below the entry's own path; empty when one file was named. */
  readonly below: string;
  readonly slot: string;
}

/** Names the fixed files of a Verifier as evidence slots, each file once (docs/spec/verification.md §4.4). */
export interface AttachmentBook {
  readonly attachments: Record<string, Attachment>;
  mount(files: FixedFiles): readonly MountedFile[];
}

export function newAttachmentBook(context: Context): AttachmentBook {
  const attachments: Record<string, Attachment> = {};
  const slots = new Map<string, string>();
  let next = 0;
  const slotOf = (card: CardRef, file: ManifestFile): string => {
    const key = JSON.stringify([card.uid, card.name, card.version, file.relative_path]);
    const known = slots.get(key);
    if (known !== undefined) return known;
    while (context.slots.has(`attachment_${next}`)) next += 1;
    const slot = `attachment_${next}`;
    next += 1;
    slots.set(key, slot);
    attachments[slot] = toAttachment(card, file);
    return slot;
  };
  const mount = ({ artifact }: FixedFiles): readonly MountedFile[] => {
    const card = lookUp(context.cards, artifact.card);
    const ref = card?.ref ?? toCardRef(artifact.card);
    if (ref === undefined) return [];
    const wanted = artifact.path ?? null;
    return [...(card?.manifest ?? [])]
      .filter((file) => wanted === null || file.relative_path === wanted)
      .sort((left, right) => compareBytes(left.relative_path, right.relative_path))
      .map((file) => ({
        below: wanted === null ? `/${file.relative_path}` : '',
        slot: slotOf(toResultRef(ref), file),
      }));
  };
  return { attachments, mount };
}

function toAttachment(artifact: CardRef, file: ManifestFile): Attachment {
  const { relative_path: path, size_bytes } = file;
  return { artifact, path, sha256: toHexDigest(file.sha256), size_bytes, format: formatOf(file) };
}

/** Manifests carry base64 digests, evidence hexadecimal ones (docs/spec/wire.md §7). */
function toHexDigest(digest: string): string {
  if (!/^[A-Za-z0-9+/]{43}=$/.test(digest)) return digest;
  return [...atob(digest)].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

/** From the content type, else from the end of the name; null when neither is a known format. */
function formatOf({ content_type, relative_path }: ManifestFile): MediaFormat | null {
  const declared = content_type == null ? undefined : toMediaFormat(content_type.split(';')[0] ?? '');
  if (declared !== undefined) return declared;
  const [, ...endings] = (relative_path.split('/').at(-1) ?? '').split('.');
  return toMediaFormat(endings.slice(-2).join('.')) ?? toMediaFormat(endings.at(-1) ?? '') ?? null;
}
