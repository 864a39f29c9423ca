import type { Database } from './database.ts';

/** Milliseconds that a key is kept (docs/spec/background.md §2.3). */
const keyLifeMs = 7 * 24 * 3_600_000;
/** An upload session lapses after a day (docs/spec/wire.md §5.7); its row outlives the keys that answer with it. */
const uploadLifeMs = 8 * 24 * 3_600_000;
/** Rows that one write removes, so that no other waits for long. */
const mostRows = 5_000;

const lapsedKeys = `
  SELECT tenant, principal, method, path, key FROM idempotency WHERE created_at < ? LIMIT ${mostRows}`;
const lapsedUploads = `
  SELECT tenant, upload_id FROM uploads WHERE document ->> '$.created_at' < ? LIMIT ${mostRows}`;

/**
 * Forgets lapsed idempotency keys and upload sessions, as AWS does by their age. Answers how many rows it removed; writes
 * nothing when there are none.
 */
export function sqlitePurge(database: Database): (now: number) => Promise<number> {
  return async (now) => {
    const [keysBefore, uploadsBefore] = [now - keyLifeMs, now - uploadLifeMs];
    const isLapsed = database.prepare(lapsedKeys).get(keysBefore) ?? database.prepare(lapsedUploads).get(uploadsBefore);
    if (isLapsed === undefined) return 0;
    return database.write(() => {
      const keys = database
        .prepare(`DELETE FROM idempotency WHERE (tenant, principal, method, path, key) IN (${lapsedKeys})`)
        .run(keysBefore);
      const uploads = database
        .prepare(`DELETE FROM uploads WHERE (tenant, upload_id) IN (${lapsedUploads})`)
        .run(uploadsBefore);
      return Number(keys.changes) + Number(uploads.changes);
    });
  };
}
