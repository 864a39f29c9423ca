import type { Dialect } from '#contract/cards/envelope.ts';
import type { CardRef } from '#contract/cards/reference.ts';
import type { ApiVersion } from '#contract/cards/verifier.ts';
import type { Finding } from '#contract/errors.ts';
import type { Json } from '#contract/json.ts';
import type { Verifier } from '../plan.ts';

/** One file of a Card's manifest. `sha256` is hex or base64; the plan has hex. */
export interface ManifestFile {
  readonly relative_path: string;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly content_type?: string | null;
}

/** A referenced Card as the registry holds it, or as submitted beside this one. */
export interface ResolvedCard {
  /** With `uid`. */
  readonly ref: CardRef;
  readonly kind: string;
  readonly spec: Json;
  readonly manifest?: readonly ManifestFile[];
}

/** What a declaration may look up. Pure: the host gathers the Cards before it compiles. */
export interface References {
  card(ref: CardRef): ResolvedCard | undefined;
}

export interface CompileInput {
  readonly api: ApiVersion;
  /** The `spec` of a Verifier Card, untrusted. */
  readonly spec: Json;
  readonly dialect: Dialect;
  readonly references: References;
}

export type Compilation =
  | { readonly ok: true; readonly verifier: Verifier; readonly warnings: readonly Finding[] }
  | { readonly ok: false; readonly findings: readonly Finding[] };

export type { Finding };
