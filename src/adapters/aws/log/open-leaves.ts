import { indexes } from '#contract/aws-names.ts';
import type { Leaf, OpenLook } from '#service/ports/checkpoints.ts';
import { getAll } from '../dynamo/batches.ts';
import { queryPages } from '../dynamo/reads.ts';
import { dueTime, executionListKey, leafKey, listShards } from '../keys.ts';
import type { Item } from '../store-call.ts';
import type { LogStore } from './log-store.ts';

/** A commit may show in the index, or carry a time, this much later than it should. */
const lagMs = 900_000;
const thoroughMs = 48 * 3_600_000;

/**
 * What the index of commits shows since `completeTo` (milliseconds: all commits before it are in a checkpoint), less what
 * is in one. A record that the index shows later is the next checkpoint's.
 */
export async function openLeaves(
  store: LogStore,
  tenant: string,
  { ended_by, limit, thorough }: OpenLook,
  completeTo: number,
): Promise<readonly Leaf[]> {
  const since = Math.max(0, completeTo - (thorough ? thoroughMs : lagMs));
  const parts = Array.from({ length: listShards }, (_unused, shard) => commits(store, tenant, shard, since));
  const found = (await Promise.all(parts)).flat().filter(({ ended_at }) => ended_at <= ended_by);
  const logged = completeTo === 0 ? new Set<string>() : await loggedOf(store, tenant, found);
  return found
    .filter(({ execution_id }) => !logged.has(execution_id))
    .sort(byEnd)
    .slice(0, limit);
}

function byEnd(left: Leaf, right: Leaf): number {
  if (left.ended_at !== right.ended_at) return left.ended_at < right.ended_at ? -1 : 1;
  return left.execution_id < right.execution_id ? -1 : 1;
}

async function commits({ executions }: LogStore, tenant: string, shard: number, since: number): Promise<Leaf[]> {
  const leaves: Leaf[] = [];
  const pages = queryPages(executions.dynamo, {
    TableName: executions.table,
    IndexName: indexes.executions.log,
    KeyConditionExpression: 'log_key = :partition AND log_order >= :since',
    ExpressionAttributeValues: {
      ':partition': executionListKey(tenant, 'log', '', shard),
      ':since': dueTime(since),
    },
  });
  for await (const rows of pages) leaves.push(...rows.map(toLeaf));
  return leaves;
}

function toLeaf(row: Item): Leaf {
  return {
    execution_id: String(row.log_order).split('#')[1] ?? '',
    ended_at: String(row.ended_at),
    sha256: String(row.record_sha256),
  };
}

async function loggedOf(store: LogStore, tenant: string, leaves: readonly Leaf[]): Promise<ReadonlySet<string>> {
  const byKey = new Map(leaves.map(({ execution_id }) => [leafKey(tenant, execution_id).pk, execution_id]));
  const keys = leaves.map(({ execution_id }) => leafKey(tenant, execution_id));
  const rows = await getAll(store.dynamo, store.table, keys);
  return new Set(rows.map((row) => byKey.get(String(row.pk)) ?? ''));
}
