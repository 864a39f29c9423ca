/** Where a key is one key: tenant (given apart), principal, method and path (docs/spec/background.md §2.3). */
export interface IdempotencyScope {
  readonly principal: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
}

/** Written in the same transaction as the effect it stands for. */
export interface IdempotencyRow extends IdempotencyScope {
  /** Hex SHA-256 of the RFC 8785 bytes of the body. */
  readonly body_sha256: string;
  /** JSON text of the first answer. */
  readonly answer: string;
  /** Milliseconds since the epoch. */
  readonly created_at: number;
}

export interface Idempotency {
  /** The row of this key, unless it is older than `notBefore` (milliseconds): a lapsed key is free. */
  find(tenant: string, scope: IdempotencyScope, notBefore: number): Promise<IdempotencyRow | null>;
}
