import type { Idempotency, IdempotencyRow } from '#service/ports/idempotency.ts';
import type { Database } from './database.ts';

/** Keys in SQLite. The rows are written by the adapters whose effects they stand for. */
export function sqliteIdempotency(database: Database): Idempotency {
  return {
    async find(tenant, scope, notBefore) {
      const row = database
        .prepare(
          `SELECT body_sha256, answer, created_at FROM idempotency
           WHERE tenant = ? AND principal = ? AND method = ? AND path = ? AND key = ? AND created_at >= ?`,
        )
        .get(tenant, scope.principal, scope.method, scope.path, scope.key, notBefore);
      if (!row) return null;
      return {
        ...scope,
        body_sha256: String(row.body_sha256),
        answer: String(row.answer),
        created_at: Number(row.created_at),
      };
    },
  };
}

/** Milliseconds that a key is kept (docs/spec/background.md §2.3). */
const keyLife = 7 * 24 * 3_600_000;

/** Inside a transaction of the caller: whether another call holds the key now. */
export function isKeyTaken(database: Database, tenant: string, row: IdempotencyRow): boolean {
  const held = database
    .prepare(
      `SELECT 1 FROM idempotency
       WHERE tenant = ? AND principal = ? AND method = ? AND path = ? AND key = ? AND created_at >= ?`,
    )
    .get(tenant, row.principal, row.method, row.path, row.key, row.created_at - keyLife);
  return held !== undefined;
}

/** Inside a transaction of the caller: whether a call with another body holds the key now. */
export function isKeyOfAnother(database: Database, tenant: string, row: IdempotencyRow): boolean {
  const held = database
    .prepare(
      `SELECT 1 FROM idempotency
       WHERE tenant = ? AND principal = ? AND method = ? AND path = ? AND key = ? AND created_at >= ? AND body_sha256 <> ?`,
    )
    .get(tenant, row.principal, row.method, row.path, row.key, row.created_at - keyLife, row.body_sha256);
  return held !== undefined;
}

/** Inside a transaction of the caller. A lapsed key is taken anew, and all lapsed keys are forgotten. */
export function saveIdempotency(database: Database, tenant: string, row: IdempotencyRow): void {
  database.prepare('DELETE FROM idempotency WHERE created_at < ?').run(row.created_at - keyLife);
  database
    .prepare(
      `INSERT OR REPLACE INTO idempotency (tenant, principal, method, path, key, body_sha256, answer, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(tenant, row.principal, row.method, row.path, row.key, row.body_sha256, row.answer, row.created_at);
}
