import type { ApiKey, ApiKeys } from '#service/ports/keys.ts';
import type { Database } from './database.ts';

/** API keys in their own SQLite file, which the command line may write while the host runs. */
export function sqliteApiKeys(database: Database): ApiKeys {
  return {
    async any() {
      return database.prepare('SELECT 1 FROM api_keys LIMIT 1').get() !== undefined;
    },
    async find(keyId) {
      const row = database.prepare('SELECT document FROM api_keys WHERE key_id = ?').get(keyId);
      return row ? keyOf(row) : null;
    },
    async list(tenant) {
      const rows = database
        .prepare('SELECT document FROM api_keys WHERE tenant = ? ORDER BY created_at DESC, key_id')
        .all(tenant);
      return rows.map(keyOf);
    },
    async create(key) {
      await database.write(() => {
        database
          .prepare('INSERT INTO api_keys (key_id, tenant, created_at, revoked_at, document) VALUES (?, ?, ?, ?, ?)')
          .run(key.key_id, key.tenant, key.created_at, key.revoked_at, JSON.stringify(key));
      });
    },
    revoke(tenant, keyId, at) {
      return database.write(() => {
        const row = database
          .prepare('SELECT document FROM api_keys WHERE tenant = ? AND key_id = ? AND revoked_at IS NULL')
          .get(tenant, keyId);
        if (!row) return false;
        database
          .prepare('UPDATE api_keys SET revoked_at = ?, document = ? WHERE key_id = ?')
          .run(at, JSON.stringify({ ...keyOf(row), revoked_at: at }), keyId);
        return true;
      });
    },
  };
}

function keyOf(row: Record<string, unknown>): ApiKey {
  return JSON.parse(String(row.document)) as ApiKey;
}
