import { indexes } from '#contract/aws-names.ts';
import type { ExecutionRecord, PendingRecord, Records } from '#service/ports/records.ts';
import { updateIf } from './dynamo/conditional-write.ts';
import { getItem, queryPages } from './dynamo/reads.ts';
import { packResult, toSummary } from './executions/execution-item.ts';
import { toRecord, unsigned } from './executions/record-attributes.ts';
import { dueKey, dueShards, executionKey } from './keys.ts';
import { archivedRecord, singleObject } from './log/archive.ts';
import type { LogStore } from './log/log-store.ts';
import { putObject } from './log/objects.ts';
import type { Item } from './store-call.ts';

/** Records: on the item of their execution while it is there, in the archive of the log for ever. */
export function dynamoRecords(store: LogStore): Records {
  const { dynamo, table, values } = store.executions;
  const ofItem = async (tenant: string, id: string): Promise<ExecutionRecord | null> => {
    const item = await getItem(dynamo, table, executionKey(tenant, id));
    return item && toRecord(values, item);
  };
  return {
    async find(tenant, id) {
      return (await ofItem(tenant, id)) ?? archivedRecord(store, tenant, id);
    },
    async pending(limit) {
      const parts = Array.from({ length: dueShards }, (_unused, shard) => oldestUnsigned(store, shard, limit));
      const rows = (await Promise.all(parts)).flat().sort(byDueOrder).slice(0, limit);
      const found = await Promise.all(rows.map((row) => toPending(store, row)));
      // The index may still show what was signed a moment ago.
      return found.filter((pending) => pending?.record.state === 'pending').flatMap((pending) => pending ?? []);
    },
    async sign(tenant, id, signed) {
      const packed = await packResult(values, tenant, id, { result: null, record: signed });
      const update = {
        table,
        key: executionKey(tenant, id),
        set: 'record_state = :signed, #record = :record',
        remove: 'due_key, due_order',
        condition: 'record_state = :pending AND record_sha256 = :sha256',
        names: { '#record': 'record' },
        values: {
          ':signed': 'signed',
          ':pending': 'pending',
          ':sha256': signed.sha256,
          ':record': packed.record,
        },
      };
      // Its checkpoint may have closed without it. The object comes first: a record that is shown as signed is kept.
      if ((await ofItem(tenant, id))?.state !== 'pending') return false;
      await putObject(store.s3, store.bucket, singleObject(tenant, id), signed.text);
      return (await updateIf(dynamo, update)).done;
    },
  };
}

function byDueOrder(left: Item, right: Item): number {
  return String(left.due_order) < String(right.due_order) ? -1 : 1;
}

async function oldestUnsigned({ executions }: LogStore, shard: number, limit: number): Promise<Item[]> {
  const rows: Item[] = [];
  const pages = queryPages(executions.dynamo, {
    TableName: executions.table,
    IndexName: indexes.executions.due,
    KeyConditionExpression: 'due_key = :partition',
    ExpressionAttributeValues: { ':partition': dueKey(unsigned, shard) },
    Limit: limit,
  });
  for await (const page of pages) {
    rows.push(...page);
    if (rows.length >= limit) break;
  }
  return rows;
}

async function toPending({ executions }: LogStore, row: Item): Promise<PendingRecord | null> {
  const [, tenant = '', execution_id = ''] = String(row.due_order).split('#');
  const item = await getItem(executions.dynamo, executions.table, executionKey(tenant, execution_id));
  const record = item && (await toRecord(executions.values, item));
  if (item === null || record === null) return null;
  return { tenant, execution_id, ended_at: toSummary(item).ended_at ?? '', record };
}
