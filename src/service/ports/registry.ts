import type { JsonObject } from '#contract/json.ts';
import type { IdempotencyRow } from './idempotency.ts';
import type { Page, PageRequest } from './page.ts';
import type { Schedule } from './schedules.ts';
import type { Upload } from './uploads.ts';

/** docs/spec/wire.md §4.1. */
export type CardStatus = 'pending' | 'active' | 'deprecated' | 'failed' | 'expired' | 'deleted';

/** `spaced` is the contract's client 0.3, `flat` 0.4 (docs/spec/wire.md, head). */
export type Dialect = 'spaced' | 'flat';

export interface CardName {
  readonly kind: string;
  readonly space: string;
  readonly name: string;
}

/** A reference as stored: always with its space and uid; a view in the flat dialect drops the space. */
export interface StoredReference extends CardName {
  readonly version: string;
  readonly uid: string;
}

/** One file of a Card (docs/spec/wire.md §4.3). `sha256` is base64. */
export interface ManifestEntry {
  readonly relative_path: string;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly content_type: string | null;
}

/** One immutable version of a Card. Every reference in `spec` is a `StoredReference`. */
export interface StoredCard extends StoredReference {
  readonly api_version: string;
  readonly dialect: Dialect;
  /** Authored labels and annotations. */
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  /** Hex BLAKE3 (§4.3). */
  readonly spec_hash: string;
  readonly artifact_hash: string | null;
  readonly manifest: readonly ManifestEntry[];
  /** Every Card that `spec` names, with the alias of a Service component; in spec order. */
  readonly references: readonly { readonly ref: StoredReference; readonly alias?: string }[];
  readonly status: CardStatus;
  /** RFC 3339. */
  readonly created_at: string;
  readonly updated_at: string;
}

/** A frozen pair of subject and Verifier (docs/spec/background.md §3). */
export interface StoredBinding {
  readonly binding_id: string;
  readonly owner_uid: string;
  /** Component alias, or `$owner`. */
  readonly occurrence: string;
  readonly subject_uid: string;
  readonly verifier_uid: string;
  /** What was frozen beside them: trigger, Operators, sources (§3.3). */
  readonly frozen: JsonObject;
  readonly created_at: string;
}

/** A binding with what decides whether it may admit work (§3.4). */
export interface BindingState extends StoredBinding {
  readonly owner_status: CardStatus;
  readonly subject_status: CardStatus;
  readonly verifier_status: CardStatus;
  /** Milliseconds of the owner's last exchange; null before the first. */
  readonly activated_at: number | null;
}

/** All that one declaration changes, in one transaction (docs/spec/wire.md §4.4). */
export interface Declaration {
  readonly cards: readonly StoredCard[];
  readonly bindings: readonly StoredBinding[];
  /** Of the bindings that run on a schedule, their first occurrence. */
  readonly schedules?: readonly Schedule[];
  /** Drift checks that need a baseline; those that have one keep it. */
  readonly baselines?: readonly {
    readonly verifier_uid: string;
    readonly requirement: string;
    readonly due_at: number;
  }[];
  readonly uploads: readonly Upload[];
  /** Cards that must still be live under this uid when the declaration is stored. */
  readonly relies_on: readonly string[];
  readonly idempotency: IdempotencyRow;
}

/** Uids. */
export interface BindingFilter {
  readonly owner?: string;
  readonly subject?: string;
  readonly verifier?: string;
}

export interface CardFilter {
  readonly kind?: string;
  readonly space?: string;
  readonly name?: string;
  readonly status?: CardStatus;
}

/** Cards and bindings of one tenant. Another tenant's uid reads as unknown everywhere. */
export interface Registry {
  /** Any status; null when unknown. */
  byUid(tenant: string, uid: string): Promise<StoredCard | null>;
  /** All versions of one name in any status, newest declaration first. */
  versions(tenant: string, name: CardName): Promise<readonly StoredCard[]>;
  list(tenant: string, filter: CardFilter, page: PageRequest): Promise<Page<StoredCard>>;
  /**
   * Stores all or nothing. `conflict`: another declaration took one of the versions, or a Card relied upon is gone;
   * nothing was stored and the caller decides again on what is there now.
   */
  declare(tenant: string, declaration: Declaration): Promise<'stored' | 'conflict'>;
  /** Pending → another status. False when it was not pending. */
  settlePending(
    tenant: string,
    uid: string,
    status: 'active' | 'failed' | 'expired',
    at: string,
    idempotency?: IdempotencyRow,
  ): Promise<boolean>;
  /** Soft. True only the first time. */
  remove(tenant: string, uid: string, at: string): Promise<boolean>;
  binding(tenant: string, bindingId: string): Promise<BindingState | null>;
  /** Bindings of one owner, in declared order. */
  bindingsOf(tenant: string, ownerUid: string): Promise<readonly BindingState[]>;
  /** Bindings of a Verifier to a subject whose owner is not deleted, newest owner first. */
  bindingsFor(tenant: string, verifierUid: string, subjectUid: string): Promise<readonly BindingState[]>;
  /** Newest first. */
  listBindings(tenant: string, filter: BindingFilter, page: PageRequest): Promise<Page<BindingState>>;
  /** Records a successful exchange of the owner's principal (docs/spec/background.md §3.4). */
  activate(tenant: string, ownerUid: string, at: number): Promise<void>;
}
