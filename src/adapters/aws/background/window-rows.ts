import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { orderOf } from '#service/drift/gather-rows.ts';
import type { IngestedRow, WindowRange, WindowRanges } from '#service/ports/large-windows.ts';
import type { FeatureValue, WindowLook } from '#service/ports/observations.ts';
import { queryPages } from '../dynamo/reads.ts';
import { dueTime, observationsPartition } from '../keys.ts';
import type { Item } from '../store-call.ts';
import type { Values } from '../values.ts';
import type { BackgroundStore } from './background-store.ts';

const readsAtOnce = 8;

/** As it is written: its members in this order. */
export type StoredRow = readonly [
  record_id: string,
  run_id: string | null,
  created_at: string,
  features: [string, FeatureValue][],
];

export async function storedRows(values: Values, item: Item | null): Promise<readonly StoredRow[]> {
  return JSON.parse((await values.unpack(item?.document)) ?? '[]') as readonly StoredRow[];
}

/** Batches of a window, in the order of their ingest. A time alone stands before every key of that time. */
export function windowQuery(store: BackgroundStore, tenant: string, look: WindowLook): QueryCommandInput {
  return batchQuery(store, observationsPartition(tenant, look.subject_card_uid), dueTime(look.from), dueTime(look.to));
}

function batchQuery({ table }: BackgroundStore, partition: string, from: string, to: string): QueryCommandInput {
  return {
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': partition, ':from': from, ':to': to },
  };
}

/** The rows of batches, in the order of ingest. */
export async function* windowRows(
  { dynamo }: BackgroundStore,
  values: Values,
  query: QueryCommandInput,
  signal?: AbortSignal,
): AsyncIterable<readonly IngestedRow[]> {
  for await (const page of queryPages(dynamo, query)) {
    for (let at = 0; at < page.length; at += readsAtOnce) {
      signal?.throwIfAborted();
      const batches = await Promise.all(page.slice(at, at + readsAtOnce).map((item) => storedRows(values, item)));
      yield batches.flat().map(toIngested);
    }
  }
}

function toIngested([record_id, , created_at, features]: StoredRow): IngestedRow {
  return { record_id, order: orderOf(created_at), features };
}

/** Windows in parts, by the batches that lie in them. */
export function dynamoWindowRanges(store: BackgroundStore, values: Values): WindowRanges {
  return {
    async of(tenant, look, mostRows) {
      const ranges: WindowRange[] = [];
      const query = { ...windowQuery(store, tenant, look), ProjectionExpression: 'sk, row_count' };
      for await (const page of queryPages(store.dynamo, query)) {
        for (const { sk, row_count } of page) addBatch(ranges, String(sk), Number(row_count), mostRows);
      }
      return ranges;
    },
    rows(tenant, subject, { from, to }, signal) {
      return windowRows(store, values, batchQuery(store, observationsPartition(tenant, subject), from, to), signal);
    },
  };
}

/** A batch joins the last range while both are few enough rows together. */
function addBatch(ranges: WindowRange[], sk: string, rows: number, mostRows: number): void {
  const last = ranges.at(-1);
  if (last && last.rows + rows <= mostRows) ranges[ranges.length - 1] = { ...last, to: sk, rows: last.rows + rows };
  else ranges.push({ from: sk, to: sk, rows });
}
