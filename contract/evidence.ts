import type { CardRef } from './cards/reference.ts';
import type { MediaFormat } from './formats.ts';
import type { Json } from './json.ts';

/**
 * What the host pinned for one slot before anything ran: the declaration of docs/spec/wire.md §6.1, completed.
 * It is what a reference to a whole media or trace slot reads (verification.md §3.2) and what the result echoes.
 */
export type PinnedInput =
  | { readonly kind: 'json'; readonly value: Json }
  | PinnedFile
  | PinnedArtifact
  | { readonly kind: 'trace'; readonly trace_id: string };

export interface PinnedFile {
  readonly kind: 'file';
  readonly sha256: string;
  readonly size_bytes: number;
  readonly format: MediaFormat;
  readonly filename?: string;
}

export interface PinnedArtifact {
  readonly kind: 'artifact';
  readonly artifact: CardRef;
  readonly path: string;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly format: MediaFormat;
}

export type PinnedMedia = PinnedFile | PinnedArtifact;
