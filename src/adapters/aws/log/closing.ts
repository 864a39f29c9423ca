import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { valuePrefixes } from '#contract/aws-names.ts';
import type { Closing } from '#service/ports/checkpoints.ts';
import { storeFailure } from '#service/ports/store-failure.ts';
import { deleteIf, putIf } from '../dynamo/conditional-write.ts';
import { getItem } from '../dynamo/reads.ts';
import { closingKey } from '../keys.ts';
import type { LogStore } from './log-store.ts';
import { deleteObject, getObject, putObject } from './objects.ts';

/** Only what this module wrote itself is read; the schema keeps a foreign object from becoming a closing. */
const closingSchema: z.ZodType<Closing> = z.strictObject({
  before: z.strictObject({ number: z.int(), size: z.int(), sha256: z.string() }).nullable(),
  opened_at: z.string(),
  closed_at: z.string(),
  leaves: z.array(z.strictObject({ execution_id: z.string(), ended_at: z.string(), sha256: z.string() })),
  is_whole: z.boolean(),
});

const maxTries = 5;

/**
 * Decides what the next checkpoint adds, for every process that closes: the decision is an object, and a row that names it
 * and is there once. Whoever finds the row carries out what it says, so a closing that broke off is finished, never undone.
 */
export async function beginClosing(store: LogStore, tenant: string, wanted: Closing): Promise<Closing> {
  const number = numberOf(wanted);
  const object = `${valuePrefixes.closings}${tenant}/${number}-${randomUUID()}.json`;
  await putObject(store.s3, store.valuesBucket, object, JSON.stringify(toPlain(wanted)));
  for (let attempt = 0; attempt < maxTries; attempt += 1) {
    const item = { ...closingKey(tenant), closing_number: number, object };
    if (await putIf(store.dynamo, { table: store.table, item, condition: 'attribute_not_exists(pk)' })) return wanted;
    const standing = await standingClosing(store, tenant);
    // The row may be gone by now, when its closing was finished.
    if (standing === null) continue;
    await deleteObject(store.s3, store.valuesBucket, object);
    return standing;
  }
  throw storeFailure('another process keeps closing the same log', null);
}

function numberOf({ before }: Closing): number {
  return (before?.number ?? 0) + 1;
}

function toPlain({ before, ...rest }: Closing): Closing {
  const named = before && { number: before.number, size: before.size, sha256: before.sha256 };
  return { ...rest, before: named };
}

async function standingClosing(store: LogStore, tenant: string): Promise<Closing | null> {
  const row = await getItem(store.dynamo, store.table, closingKey(tenant));
  if (row === null) return null;
  const text = await getObject(store.s3, store.valuesBucket, String(row.object));
  if (text !== null) return closingSchema.parse(JSON.parse(text));
  const again = await getItem(store.dynamo, store.table, closingKey(tenant));
  if (again?.object !== row.object) return null;
  // Parts of it may be written already: another decision in its place could not be proven to be one log with them.
  throw storeFailure('what the next checkpoint adds was decided, and its object is gone', null);
}

/** Takes the row out of the way once its checkpoint is there; the next closing may begin. */
export async function endClosing(store: LogStore, tenant: string, closing: Closing): Promise<void> {
  const row = await getItem(store.dynamo, store.table, closingKey(tenant));
  const number = numberOf(closing);
  if (row === null || Number(row.closing_number) !== number) return;
  await deleteIf(store.dynamo, {
    table: store.table,
    key: closingKey(tenant),
    condition: 'closing_number = :number',
    values: { ':number': number },
  });
  await deleteObject(store.s3, store.valuesBucket, String(row.object));
}
