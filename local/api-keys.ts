import { createKey, type KeyView, listKeys, revokeKey } from '#service/auth/keys.ts';
import type { Role } from '#service/ports/keys.ts';
import { openKeys } from './open-store.ts';

export type { KeyView };

/** The API keys of a data folder, which a running host may have open at the same time (docs/spec/wire.md §2.3). */
export interface KeyFolder {
  /** `text` is the only copy there will ever be. */
  create(input: {
    readonly tenant: string;
    readonly name: string;
    readonly role: Role;
  }): Promise<{ readonly text: string; readonly key: KeyView }>;
  list(tenant: string): Promise<readonly KeyView[]>;
  /** Throws a Problem when there is no active key of that id. */
  revoke(tenant: string, keyId: string): Promise<void>;
}

/** Opens the folder's keys for the time of `use`. */
export async function withKeyFolder<Value>(data: string, use: (keys: KeyFolder) => Promise<Value>): Promise<Value> {
  const opened = await openKeys(data);
  try {
    return await use({
      create: (input) => createKey(opened, input),
      list: (tenant) => listKeys(opened, tenant),
      revoke: (tenant, keyId) => revokeKey(opened, tenant, keyId),
    });
  } finally {
    await opened.close();
  }
}
