/** docs/spec/wire.md §8. */
export type ConnectionProvider = 'slack' | 'pager_duty' | 'http';

/** What may be shown of a connection to a provider; its secret is kept apart, sealed. */
export interface Connection {
  readonly connection_id: string;
  readonly name: string;
  readonly provider: ConnectionProvider;
  /** Slack only. */
  readonly workspace_id?: string;
  /** HTTP only: normalised origin, scheme, and the name of a header scheme's header. */
  readonly origin?: string;
  readonly auth?: { readonly scheme: 'bearer' | 'basic' | 'header'; readonly name?: string };
  readonly status: 'active' | 'disabled';
  /** RFC 3339. */
  readonly created_at: string;
  readonly updated_at: string;
}

/** A connection with its secret as the `SecretBox` sealed it. */
export interface StoredConnection extends Connection {
  readonly sealed: string;
}

export interface Connections {
  /** False: the tenant has one of that provider and name already. */
  create(tenant: string, connection: StoredConnection): Promise<boolean>;
  find(tenant: string, connectionId: string): Promise<StoredConnection | null>;
  byName(tenant: string, provider: ConnectionProvider, name: string): Promise<StoredConnection | null>;
  /** By name. */
  list(tenant: string): Promise<readonly Connection[]>;
  /** False: it was changed since `connection.updated_at` was `before`; nothing was written. */
  replace(tenant: string, connection: StoredConnection, before: string): Promise<boolean>;
}

/** Where a secret belongs; a sealed text opens nowhere else. */
export interface SecretPlace {
  readonly tenant: string;
  readonly connection_id: string;
}

/** Encrypts secrets of connections at rest (docs/spec/background.md §8.2). */
export interface SecretBox {
  /** Throws a StoreFailure when the key is not available now. */
  seal(place: SecretPlace, secret: string): Promise<string>;
  /** Null: the text cannot be opened with this key, now or later. Throws a StoreFailure when the key is not available now. */
  open(place: SecretPlace, sealed: string): Promise<string | null>;
}
