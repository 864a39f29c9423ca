import { indexes, valuePrefixes } from '#contract/aws-names.ts';
import { gatherRows } from '#service/drift/gather-rows.ts';
import type { Observation, ObservationBatch, Observations, StoredObservation } from '#service/ports/observations.ts';
import { putIf, updateIf } from '../dynamo/conditional-write.ts';
import { getItem, queryPages } from '../dynamo/reads.ts';
import { dueTime, observationBatchKey, observationListKey, observationsKey } from '../keys.ts';
import type { Item } from '../store-call.ts';
import type { Values } from '../values.ts';
import { type BackgroundStore, expiryOf } from './background-store.ts';
import { type StoredRow, storedRows, windowQuery, windowRows } from './window-rows.ts';

/** Bytes of a batch that are kept inside its item; longer ones would make reading a window's items dear. */
const inlineBytes = 4_096;

/** Samples in S3, one object a batch and subject, found by items in the order of their ingest (docs/spec/wire.md §9.5). */
export function dynamoObservations(store: BackgroundStore, values: Values): Observations {
  const { dynamo, table } = store;
  return {
    async append(tenant, batch, at) {
      const begun = await begin(store, tenant, batch, at);
      if (begun === null || begun.is_stored) return begun?.at ?? null;
      await Promise.all(
        [...subjectsOf(batch)].map(([subject, rows]) =>
          putRows(store, values, { tenant, subject, batch, at: begun.at }, rows),
        ),
      );
      await updateIf(dynamo, {
        table,
        key: observationBatchKey(tenant, batch.batch_id),
        set: 'is_stored = :true',
        condition: 'attribute_exists(pk)',
        values: { ':true': true },
      });
      return begun.at;
    },
    async *window(tenant, look, signal) {
      const gathering = gatherRows(look.features);
      for await (const rows of windowRows(store, values, windowQuery(store, tenant, look), signal)) {
        for (const row of rows) gathering.add(row);
      }
      for (const { record_id, values: held } of gathering.inOrder()) {
        signal?.throwIfAborted();
        yield { record_id, values: held };
      }
    },
    async newest(tenant, most) {
      const found: StoredObservation[] = [];
      const pages = queryPages(dynamo, {
        TableName: table,
        IndexName: indexes.background.due,
        KeyConditionExpression: 'due_key = :list',
        ExpressionAttributeValues: { ':list': observationListKey(tenant) },
        ScanIndexForward: false,
        Limit: 50,
      });
      for await (const page of pages) {
        for (const item of page) found.push(...(await storedOf(store, values, tenant, item)));
        if (found.length >= most) break;
      }
      return found.slice(0, most);
    },
  };
}

/**
 * The batch's item is its deduplication, and fixes its time of ingest before any row is written: a call that was lost in
 * the middle and comes again writes the same rows under the same keys. Null: another batch has the id.
 */
async function begin(
  store: BackgroundStore,
  tenant: string,
  batch: ObservationBatch,
  at: number,
): Promise<{ readonly at: number; readonly is_stored: boolean } | null> {
  const { dynamo, table } = store;
  const key = observationBatchKey(tenant, batch.batch_id);
  const item = {
    ...key,
    sha256: batch.sha256,
    ingested_at: at,
    batch_id: batch.batch_id,
    subjects: [...subjectsOf(batch).keys()],
    due_key: observationListKey(tenant),
    due_order: `${dueTime(at)}#${batch.batch_id}`,
    expires_at: expiryOf(store, at),
  };
  const written = await putIf(dynamo, { table, item, condition: 'attribute_not_exists(pk)' });
  if (written) return { at, is_stored: false };
  const held = await getItem(dynamo, table, key);
  if (held?.sha256 !== batch.sha256) return null;
  return { at: Number(held.ingested_at), is_stored: held.is_stored === true };
}

function subjectsOf({ observations }: ObservationBatch): ReadonlyMap<string, readonly Observation[]> {
  return Map.groupBy(observations, ({ subject_card_uid }) => subject_card_uid);
}

async function putRows(
  store: BackgroundStore,
  values: Values,
  place: { readonly tenant: string; readonly subject: string; readonly batch: ObservationBatch; readonly at: number },
  observations: readonly Observation[],
): Promise<void> {
  const { tenant, subject, batch, at } = place;
  const rows = observations.map((one): StoredRow => [one.record_id, one.run_id, one.created_at, [...one.features]]);
  const owner = `${valuePrefixes.observations}${tenant}/${batch.batch_id}`;
  const packed = await values.pack(owner, { document: JSON.stringify(rows) }, inlineBytes);
  const key = observationsKey(tenant, subject, at, batch.batch_id);
  const item = { ...key, ...packed, row_count: rows.length, expires_at: expiryOf(store, at) };
  await putIf(store.dynamo, { table: store.table, item, condition: 'attribute_not_exists(pk)' });
}

async function storedOf(
  store: BackgroundStore,
  values: Values,
  tenant: string,
  item: Item,
): Promise<StoredObservation[]> {
  const at = Number(String(item.due_order).slice(0, 15));
  const batchId = String(item.due_order).slice(16);
  const batch = await getItem(store.dynamo, store.table, observationBatchKey(tenant, batchId));
  const subjects = (batch?.subjects ?? []) as readonly string[];
  const found: StoredObservation[] = [];
  for (const subject of subjects) {
    const rows = await storedRows(
      values,
      await getItem(store.dynamo, store.table, observationsKey(tenant, subject, at, batchId)),
    );
    for (const [record_id, run_id, created_at, features] of rows) {
      const stored = {
        record_id,
        subject_card_uid: subject,
        run_id,
        created_at,
        features: new Map(features),
        ingested_at: at,
      };
      found.push(stored);
    }
  }
  return found;
}
