import type { ExecutionRecord } from '#service/ports/records.ts';
import { dueKey, dueOrder, dueShards, dueTime, executionListKey, listShards, shardOf } from '../keys.ts';
import type { Item } from '../store-call.ts';
import type { Values } from '../values.ts';

/** The part of the due index where records wait for their signature. */
export const unsigned = 'unsigned';

/**
 * What an execution's item says of its record beside the text: state, digest, its place in the index of commits, and a
 * place in the due index while it is not signed. `now` is the time of this write, in milliseconds.
 */
export function recordAttributes(tenant: string, id: string, record: ExecutionRecord | null, now: number): Item {
  if (record === null) return {};
  return {
    record_state: record.state,
    record_sha256: record.sha256,
    log_key: executionListKey(tenant, 'log', '', shardOf(id, listShards)),
    log_order: logOrder(now, id),
    ...(record.state === 'pending' && {
      due_key: dueKey(unsigned, shardOf(id, dueShards)),
      due_order: dueOrder(now, tenant, id),
    }),
  };
}

/** Order of commits: by the time of the write, then id. */
const logOrder = (at: number, id: string) => `${dueTime(at)}#${id}`;

/** From a row of the table; the text may be in S3. */
export async function toRecord(values: Values, item: Item): Promise<ExecutionRecord | null> {
  if (item.record_state === undefined) return null;
  const text = (await values.unpack(item.record)) ?? '';
  const state = item.record_state as ExecutionRecord['state'];
  return { state, sha256: String(item.record_sha256), text };
}
