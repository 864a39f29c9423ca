import type { Upload, Uploads } from '#service/ports/uploads.ts';
import { getAll, writeAll } from './dynamo/batches.ts';
import { updateIf } from './dynamo/conditional-write.ts';
import { getItem, rowsOf } from './dynamo/reads.ts';
import type { SessionStore } from './idempotency.ts';
import { cardUploadsPartition, uploadKey } from './keys.ts';
import type { Item } from './store-call.ts';

/** A session lapses after a day; its row outlives the idempotency rows that answer with it (docs/spec/background.md §2.3). */
const rowLifeMs = 8 * 24 * 3_600_000;

/** Admits sessions that are not settled. `status` is a reserved word. */
const isPending = '#status = :pending';

/** Upload sessions in DynamoDB. */
export function dynamoUploads({ dynamo, table }: SessionStore): Uploads {
  return {
    async open(tenant, uploads) {
      // Sessions before the rows that point at them: a pointer never leads nowhere.
      await writeAll(
        dynamo,
        table,
        uploads.map((upload) => ({ put: uploadItem(tenant, upload) })),
      );
      await writeAll(
        dynamo,
        table,
        uploads.flatMap((upload) => pointers(tenant, upload)).map((put) => ({ put })),
      );
    },
    async find(tenant, uploadId) {
      const item = await getItem(dynamo, table, uploadKey(tenant, uploadId));
      return item && toUpload(item);
    },
    async ofCard(tenant, cardUid) {
      const rows = await rowsOf(dynamo, table, cardUploadsPartition(tenant, cardUid));
      // In the order of their ids, so the newest of each path stays.
      const newest = new Map(rows.map((row) => [String(row.relative_path), String(row.sk)]));
      const items = await getAll(
        dynamo,
        table,
        [...newest.values()].map((uploadId) => uploadKey(tenant, uploadId)),
      );
      return items.map(toUpload);
    },
    async settle(tenant, uploadId, status) {
      await updateIf(dynamo, {
        table,
        key: uploadKey(tenant, uploadId),
        set: '#status = :status',
        condition: isPending,
        names: { '#status': 'status' },
        values: { ':status': status, ':pending': 'pending' },
      });
    },
  };
}

/** Every row of a session: itself, and for a file of a Card the row that finds it from there. */
export function uploadItems(tenant: string, upload: Upload): Item[] {
  return [uploadItem(tenant, upload), ...pointers(tenant, upload)];
}

function uploadItem(tenant: string, upload: Upload): Item {
  const { status, ...fixed } = upload;
  return { ...uploadKey(tenant, upload.upload_id), upload: JSON.stringify(fixed), status, expires_at: lapse(upload) };
}

function pointers(tenant: string, upload: Upload): Item[] {
  const { card_uid, relative_path, upload_id } = upload;
  if (card_uid === null) return [];
  const pk = cardUploadsPartition(tenant, card_uid);
  return [{ pk, sk: upload_id, relative_path: relative_path ?? '', expires_at: lapse(upload) }];
}

function lapse(upload: Upload): number {
  return Math.ceil((upload.created_at + rowLifeMs) / 1_000);
}

function toUpload(item: Item): Upload {
  const fixed = JSON.parse(String(item.upload)) as Omit<Upload, 'status'>;
  return { ...fixed, status: item.status as Upload['status'] };
}
