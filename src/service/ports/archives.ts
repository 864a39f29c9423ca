import type { EffectFailure } from '../ports.ts';

/** Containers to their files, within the limits of docs/spec/verification.md §4.3. Never throws for what a container holds. */
export interface Archives {
  /** Files by relative path; folders are not listed. A failure is `extract_limit` or `extract_unreadable`. */
  read(
    format: 'zip' | 'tar_gz',
    bytes: Uint8Array,
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'files'; readonly files: ReadonlyMap<string, Uint8Array> } | EffectFailure>;
}
