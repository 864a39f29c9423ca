import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { indexes } from '#contract/aws-names.ts';
import type { Overdue } from '#service/ports/attempts.ts';
import { queryPages } from '../dynamo/reads.ts';
import { dueKey, dueShards, dueTime } from '../keys.ts';
import type { Item } from '../store-call.ts';

type Look = { readonly now: number; readonly pendingBefore: number; readonly limit: number };

/**
 * What the due index shows, oldest first. It may lag, so a row can be one that somebody took meanwhile: the claim or the
 * release that follows is refused then.
 */
export async function findOverdue(dynamo: DynamoDBDocumentClient, table: string, look: Look): Promise<Overdue[]> {
  // Text order: `<time>` alone is before `<time>#…`, so this bound leaves the time itself out, and one more takes it in.
  const bounds = { pending: look.pendingBefore, retrying: look.now + 1, running: look.now };
  const parts = Object.entries(bounds).flatMap(([status, before]) =>
    Array.from({ length: dueShards }, (_unused, shard) => oldest(dynamo, table, status, shard, before, look.limit)),
  );
  const found = (await Promise.all(parts)).flat();
  return found
    .sort((left, right) => (String(left.due_order) < String(right.due_order) ? -1 : 1))
    .slice(0, look.limit)
    .map(toOverdue);
}

async function oldest(
  dynamo: DynamoDBDocumentClient,
  table: string,
  status: string,
  shard: number,
  before: number,
  limit: number,
): Promise<Item[]> {
  const rows: Item[] = [];
  const pages = queryPages(dynamo, {
    TableName: table,
    IndexName: indexes.executions.due,
    KeyConditionExpression: 'due_key = :partition AND due_order < :before',
    ExpressionAttributeValues: { ':partition': dueKey(status, shard), ':before': dueTime(before) },
    Limit: limit,
  });
  for await (const page of pages) {
    rows.push(...page);
    if (rows.length >= limit) break;
  }
  return rows;
}

function toOverdue(row: Item): Overdue {
  const [, tenant = '', execution_id = ''] = String(row.due_order).split('#');
  return { tenant, execution_id, status: row.status as Overdue['status'], attempts: Number(row.attempts) };
}
