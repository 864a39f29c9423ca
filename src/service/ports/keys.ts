/** docs/spec/wire.md §2.4. */
export type Role = 'viewer' | 'workload' | 'editor' | 'admin';

/** An API key as stored: never the secret itself (docs/spec/wire.md §2.3). */
export interface ApiKey {
  /** 8 hex digits, unique on this host. */
  readonly key_id: string;
  readonly tenant: string;
  readonly name: string;
  readonly role: Role;
  /** When set, `verifier:run` is held for these Verifiers only. */
  readonly verifier_uids: readonly string[] | null;
  /** The exact Service or Agent version whose principal this key is; null = unbound. */
  readonly card_uid: string | null;
  /** Hex SHA-256 of the whole key text. */
  readonly sha256: string;
  /** RFC 3339. */
  readonly created_at: string;
  readonly revoked_at: string | null;
}

export interface ApiKeys {
  /** Whether a key was ever made here, revoked ones included: from then on only keys count (§2.6). */
  any(): Promise<boolean>;
  find(keyId: string): Promise<ApiKey | null>;
  /** Newest first. */
  list(tenant: string): Promise<readonly ApiKey[]>;
  create(key: ApiKey): Promise<void>;
  /** False when unknown or revoked before. */
  revoke(tenant: string, keyId: string, at: string): Promise<boolean>;
}

/** A secret that signs access tokens. */
export interface TokenKey {
  readonly kid: string;
  readonly secret: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly created_at: number;
}

export interface TokenKeys {
  /** Valid keys, newest first; two at most, one at least. */
  valid(): Promise<readonly TokenKey[]>;
  /** Puts a new key first and keeps the one before it valid. */
  rotate(): Promise<void>;
}
