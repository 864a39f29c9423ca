import { storedFileSchema, uploadedSchema, type uploadPlanSchema } from '#contract/requests/uploads.ts';
import type { z } from 'zod';
import type { Transport } from './transport.ts';

/** Where the bytes of one file go (docs/spec/wire.md §5.2). */
export interface Upload {
  readonly upload_id: string;
  readonly plan: z.infer<typeof uploadPlanSchema>;
}

const uploadTimeoutMs = 300_000;
const atOnce = 4;

/** Sends the bytes and settles the upload. A path of the service takes the token, another origin must not see it. */
export async function sendUpload(
  transport: Transport,
  { upload_id, plan }: Upload,
  bytes: Uint8Array<ArrayBuffer>,
  key: string,
): Promise<void> {
  const request = {
    method: 'PUT',
    path: plan.data.put_url,
    body: bytes,
    repeatable: true,
    timeoutMs: uploadTimeoutMs,
  } as const;
  if (plan.protocol === 'local_fs') {
    const headers = { 'content-type': 'application/octet-stream' };
    await transport.call({ ...request, headers }, uploadedSchema);
  } else {
    const required = Object.fromEntries(plan.data.required_headers.map(({ name, value }) => [name, value]));
    await transport.send({ ...request, headers: { ...required, 'idempotency-key': key } });
  }
  const complete = {
    method: 'POST',
    path: `/v1/cards/upload/${upload_id}/complete`,
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ protocol: plan.protocol, data: {} }),
    repeatable: true,
  } as const;
  await transport.call(complete, storedFileSchema);
}

/** Runs the work of every item, a few at a time; the first failure is thrown. */
export async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
