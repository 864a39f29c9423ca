import { createHash } from 'node:crypto';
import { z } from 'zod';
import { recordSchema } from '#contract/record.ts';
import type { Leaf } from '#service/ports/checkpoints.ts';
import type { ExecutionRecord } from '#service/ports/records.ts';
import { getAll, writeAll } from '../dynamo/batches.ts';
import { getItem } from '../dynamo/reads.ts';
import { toRecord } from '../executions/record-attributes.ts';
import { archiveKey, executionKey, leafKey } from '../keys.ts';
import type { Item } from '../store-call.ts';
import type { LogStore } from './log-store.ts';
import { getObject, putObject } from './objects.ts';

/**
 * Records apart from their executions, which expire: one object for a run of leaves, one line a leaf, and for each leaf a
 * row that says where. A record that was pending when its checkpoint closed has an object of its own once it is signed.
 */
const lineSchema = z.object({ execution_id: z.string(), sha256: z.string(), record: z.string().nullable() });

interface Line {
  readonly execution_id: string;
  readonly sha256: string;
  /** JSON text of the signed record; null while it is pending. */
  readonly record: string | null;
}

/** Leaves of one object. */
export const archiveRun = 64;

/** Writes one run. A second call may write another object, when a record was signed between; both are right. */
export async function archiveLeaves(
  store: LogStore,
  tenant: string,
  first: number,
  leaves: readonly Leaf[],
): Promise<void> {
  const texts = await recordTexts(store, tenant, leaves);
  const lines = leaves.map(({ execution_id, sha256 }) =>
    toLine({ execution_id, sha256, record: texts.get(execution_id) ?? null }),
  );
  const body = lines.join('');
  const digest = createHash('sha256').update(body).digest('hex');
  const object = `${tenant}/leaves/${String(first).padStart(15, '0')}-${digest.slice(0, 16)}.jsonl`;
  await putObject(store.s3, store.bucket, object, body);
  let at = 0;
  const rows = leaves.map(({ execution_id }, position) => {
    const length = Buffer.byteLength(lines[position] ?? '');
    const put: Item = { ...leafKey(tenant, execution_id), leaf: first + position, object, from: at, to: at + length };
    at += length;
    return { put };
  });
  const run = { put: { ...archiveKey(tenant, first), object, leaves: leaves.length } };
  await writeAll(store.dynamo, store.table, [...rows, run]);
}

function toLine(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}

async function recordTexts(
  { executions }: LogStore,
  tenant: string,
  leaves: readonly Leaf[],
): Promise<ReadonlyMap<string, string>> {
  const keys = leaves.map(({ execution_id }) => executionKey(tenant, execution_id));
  const items = await getAll(executions.dynamo, executions.table, keys);
  const texts = new Map<string, string>();
  for (const item of items) {
    const record = await toRecord(executions.values, item);
    if (record?.state === 'signed') texts.set(executionIdOf(item), record.text);
  }
  return texts;
}

function executionIdOf(item: Item): string {
  return String((JSON.parse(String(item.facts)) as { readonly execution_id: unknown }).execution_id);
}

/** The record of an execution that is gone; null when no checkpoint holds one. */
export async function archivedRecord(
  store: LogStore,
  tenant: string,
  executionId: string,
): Promise<ExecutionRecord | null> {
  const row = await getItem(store.dynamo, store.table, leafKey(tenant, executionId));
  if (row === null) return null;
  const range = { from: Number(row.from), to: Number(row.to) };
  const text = await getObject(store.s3, store.bucket, String(row.object), range);
  const line = text === null ? null : lineSchema.parse(JSON.parse(text));
  if (line === null || line.execution_id !== executionId) return null;
  const record = line.record ?? (await getObject(store.s3, store.bucket, singleObject(tenant, executionId)));
  return record === null ? null : { state: 'signed', sha256: line.sha256, text: record };
}

/** Where a record goes that was signed later. */
export const singleObject = (tenant: string, executionId: string) => `${tenant}/signed/${executionId}.json`;

/** Digests of the payloads that an archived run really holds, in its order; null: no record is there. */
export async function archivedDigests(
  store: LogStore,
  tenant: string,
  object: string,
): Promise<readonly (string | null)[]> {
  const text = (await getObject(store.s3, store.bucket, object)) ?? '';
  const lines = text.split('\n').filter(Boolean);
  return Promise.all(lines.map((line) => digestOfLine(store, tenant, lineSchema.parse(JSON.parse(line)))));
}

async function digestOfLine(store: LogStore, tenant: string, line: Line): Promise<string | null> {
  if (line.record !== null) return digestOfPayload(line.record);
  const { executions } = store;
  const item = await getItem(executions.dynamo, executions.table, executionKey(tenant, line.execution_id));
  const record = item && (await toRecord(executions.values, item));
  if (record?.state === 'pending') return createHash('sha256').update(record.text).digest('hex');
  const signed = record?.text ?? (await getObject(store.s3, store.bucket, singleObject(tenant, line.execution_id)));
  return signed === null ? null : digestOfPayload(signed);
}

/** What was stored as a record and is none has no digest. */
function digestOfPayload(text: string): string | null {
  const parsed = recordSchema.safeParse(JSON.parse(text));
  if (!parsed.success) return null;
  return createHash('sha256').update(Buffer.from(parsed.data.envelope.payload, 'base64')).digest('hex');
}
