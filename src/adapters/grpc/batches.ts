import { createHash } from 'node:crypto';
import type { JsonObject } from '#contract/json.ts';

/** A batch as `POST /v1/observations` takes it. */
export interface Batch {
  readonly batch_id: string;
  readonly records: readonly JsonObject[];
}

/** Limits of one call (docs/spec/wire.md §9.5), with room for what surrounds the records. */
const mostRecords = 1_000;
const mostBytes = 1_000_000;

/**
 * The records in calls of the size that is allowed. The first call has the batch id of the client and the others ids made
 * of it, so that the batch sent again is the same calls again, and nothing is stored twice.
 */
export function toBatches(batchId: Uint8Array, records: readonly JsonObject[]): readonly Batch[] {
  const parts: JsonObject[][] = [[]];
  let bytes = 0;
  for (const record of records) {
    const size = Buffer.byteLength(JSON.stringify(record)) + 1;
    const part = parts.at(-1) ?? [];
    if (part.length > 0 && (part.length === mostRecords || bytes + size > mostBytes)) {
      parts.push([record]);
      bytes = size;
    } else {
      part.push(record);
      bytes += size;
    }
  }
  return parts.map((part, index) => ({ batch_id: idOf(batchId, index), records: part }));
}

function idOf(batchId: Uint8Array, index: number): string {
  if (index === 0) return uuidText(batchId);
  const made = createHash('sha256').update(batchId).update(String(index)).digest().subarray(0, 16);
  made.set(batchId.subarray(0, 6));
  made[6] = ((made[6] ?? 0) & 0x0f) | 0x70;
  made[8] = ((made[8] ?? 0) & 0x3f) | 0x80;
  return uuidText(made);
}

function uuidText(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
