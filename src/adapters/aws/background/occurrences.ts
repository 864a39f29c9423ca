import { randomUUID } from 'node:crypto';
import { type Occurrence, occurrencesKept } from '#service/ports/schedules.ts';
import { queryPages } from '../dynamo/reads.ts';
import type { TransactItem } from '../dynamo/transact.ts';
import { occurrenceKey, occurrencePrefix, schedulePartition } from '../keys.ts';
import { type BackgroundStore, expiryOf } from './background-store.ts';

/** What became of an occurrence, as part of a transaction. */
export function occurrencePut(
  store: BackgroundStore,
  tenant: string,
  bindingId: string,
  occurrence: Occurrence,
): TransactItem {
  const order = `${occurrence.at}#${occurrence.execution_id ?? randomUUID()}`;
  const item = {
    ...occurrenceKey(tenant, bindingId, order),
    document: JSON.stringify(occurrence),
    expires_at: expiryOf(store, Date.parse(occurrence.at)),
  };
  return { Put: { TableName: store.table, Item: item } };
}

/** Newest first. */
export async function readOccurrences(
  { dynamo, table }: BackgroundStore,
  tenant: string,
  bindingId: string,
): Promise<readonly Occurrence[]> {
  const found: Occurrence[] = [];
  const pages = queryPages(dynamo, {
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': schedulePartition(tenant, bindingId), ':prefix': occurrencePrefix },
    ScanIndexForward: false,
    Limit: occurrencesKept,
  });
  for await (const page of pages) {
    found.push(...page.map((row) => JSON.parse(String(row.document)) as Occurrence));
    if (found.length >= occurrencesKept) break;
  }
  return found.slice(0, occurrencesKept);
}
