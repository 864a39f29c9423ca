import type { Upload, Uploads } from '#service/ports/uploads.ts';
import type { Database } from './database.ts';

/** Upload sessions in SQLite. */
export function sqliteUploads(database: Database): Uploads {
  return {
    async open(tenant, uploads) {
      await database.write(() => {
        for (const upload of uploads) saveUpload(database, tenant, upload);
      });
    },
    async find(tenant, uploadId) {
      const row = database
        .prepare('SELECT document, status FROM uploads WHERE tenant = ? AND upload_id = ?')
        .get(tenant, uploadId);
      return row ? uploadOf(row) : null;
    },
    async ofCard(tenant, cardUid) {
      const rows = database
        .prepare('SELECT document, status FROM uploads WHERE tenant = ? AND card_uid = ? ORDER BY upload_id')
        .all(tenant, cardUid);
      const newest = new Map(rows.map(uploadOf).map((upload) => [upload.relative_path, upload]));
      return [...newest.values()];
    },
    async settle(tenant, uploadId, status) {
      await database.write(() => {
        database
          .prepare(`UPDATE uploads SET status = ? WHERE tenant = ? AND upload_id = ? AND status = 'pending'`)
          .run(status, tenant, uploadId);
      });
    },
  };
}

/** Inside a transaction of the caller. */
export function saveUpload(database: Database, tenant: string, upload: Upload): void {
  database
    .prepare('INSERT INTO uploads (tenant, upload_id, card_uid, status, document) VALUES (?, ?, ?, ?, ?)')
    .run(tenant, upload.upload_id, upload.card_uid, upload.status, JSON.stringify(upload));
}

function uploadOf(row: Record<string, unknown>): Upload {
  const stored = JSON.parse(String(row.document)) as Upload;
  return { ...stored, status: String(row.status) as Upload['status'] };
}
