import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { indexes, valuePrefixes } from '#contract/aws-names.ts';
import { mostSpanBytes, mostSpans, type SpanBatch, type SpanRecord, type Spans } from '#service/ports/spans.ts';
import { type BackgroundStore, expiryOf } from './background/background-store.ts';
import { putIf } from './dynamo/conditional-write.ts';
import { getItem, queryPages, rowsOf } from './dynamo/reads.ts';
import { dueTime, spanBatchKey, spanBatchPrefix, traceKey, traceListKey, tracePartition } from './keys.ts';
import { storeCall } from './store-call.ts';
import type { Values } from './values.ts';

/** Spans in DynamoDB: an item of what a trace holds, and one a batch, whose text is in S3 when it is long. */
export function dynamoSpans(store: BackgroundStore, values: Values): Spans {
  const { dynamo, table } = store;
  return {
    async append(tenant, batches, at) {
      await Promise.all(batches.map((batch) => appendBatch(store, values, tenant, batch, at)));
    },
    async find(tenant, traceId) {
      const held = await getItem(dynamo, table, traceKey(tenant, traceId));
      if (held === null) return null;
      const is_cut = Number(held.span_count) > mostSpans || Number(held.byte_count) > mostSpanBytes;
      const rows = is_cut ? [] : await rowsOf(dynamo, table, tracePartition(tenant, traceId), spanBatchPrefix);
      const texts = await Promise.all(rows.map((row) => values.unpack(row.document)));
      return {
        spans: texts.flatMap((text) => JSON.parse(text ?? '[]') as SpanRecord[]),
        newest_at: Number(held.newest_at),
        is_cut,
      };
    },
    async newest(tenant, limit) {
      const found: string[] = [];
      const pages = queryPages(dynamo, {
        TableName: table,
        IndexName: indexes.background.due,
        KeyConditionExpression: 'due_key = :list',
        ExpressionAttributeValues: { ':list': traceListKey(tenant) },
        ScanIndexForward: false,
        Limit: limit,
      });
      for await (const page of pages) {
        found.push(...page.map(({ due_order }) => String(due_order).split('#')[1] ?? ''));
        if (found.length >= limit) break;
      }
      return found.slice(0, limit);
    },
  };
}

async function appendBatch(
  store: BackgroundStore,
  values: Values,
  tenant: string,
  { trace_id, spans }: SpanBatch,
  at: number,
): Promise<void> {
  const { dynamo, table } = store;
  const document = JSON.stringify(spans);
  const packed = await values.pack(`${valuePrefixes.traces}${tenant}/${trace_id}`, { document });
  const expires_at = expiryOf(store, at);
  const expiry = expires_at === undefined ? '' : ', expires_at = :expires';
  // The batch first: whoever sees the trace's item sees all that it counts.
  const item = { ...spanBatchKey(tenant, trace_id, `${dueTime(at)}#${randomUUID()}`), ...packed, expires_at };
  await putIf(dynamo, { table, item, condition: 'attribute_not_exists(pk)' });
  await storeCall('trace', () =>
    dynamo.send(
      new UpdateCommand({
        TableName: table,
        Key: traceKey(tenant, trace_id),
        UpdateExpression: `SET newest_at = :at, due_key = :list, due_order = :order${expiry} ADD span_count :spans, byte_count :bytes`,
        ExpressionAttributeValues: {
          ':at': at,
          ':list': traceListKey(tenant),
          ':order': `${dueTime(at)}#${trace_id}`,
          ...(expires_at === undefined ? {} : { ':expires': expires_at }),
          ':spans': spans.length,
          ':bytes': Buffer.byteLength(document),
        },
      }),
    ),
  );
}
