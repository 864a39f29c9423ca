import type { PinnedMedia } from '#contract/evidence.ts';
import { readChecked } from '../evidence/read-checked.ts';
import type { EffectFailure, Evidence } from '../ports.ts';
import { mayBe } from './may-be.ts';

/**
 * The bytes of a pinned file, checked anew each time they are read: length, digest and format
 * (docs/spec/verification.md §3.3, wire.md §5.6). What differs can never become a pass.
 */
export async function readMedia(
  evidence: Evidence,
  tenant: string,
  media: PinnedMedia,
  signal: AbortSignal,
): Promise<{ readonly kind: 'bytes'; readonly bytes: Uint8Array } | EffectFailure> {
  let bytes: Uint8Array | 'mismatch' | null;
  try {
    bytes = await readChecked(evidence, tenant, media.sha256, signal);
  } catch {
    bytes = null;
  }
  if (bytes === null) return { kind: 'failure', code: 'evidence_unavailable', retryable: true };
  const mismatch: EffectFailure = { kind: 'failure', code: 'evidence_mismatch', retryable: false };
  if (bytes === 'mismatch' || bytes.byteLength !== media.size_bytes) return mismatch;
  return (await mayBe(media.format, bytes)) ? { kind: 'bytes', bytes } : mismatch;
}
