import type { z } from 'zod';
import { partUrlSchema, storedFileSchema, uploadedSchema, type uploadPlanSchema } from '#contract/requests/uploads.ts';
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
  const data = await sendBytes(transport, { upload_id, plan }, bytes, key);
  const complete = {
    method: 'POST',
    path: `/v1/cards/upload/${upload_id}/complete`,
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ protocol: plan.protocol, data }),
    repeatable: true,
  } as const;
  await transport.call(complete, storedFileSchema);
}

/** What `complete` is told of the bytes sent. */
async function sendBytes(
  transport: Transport,
  { upload_id, plan }: Upload,
  bytes: Uint8Array<ArrayBuffer>,
  key: string,
): Promise<object> {
  const put = { method: 'PUT', repeatable: true, timeoutMs: uploadTimeoutMs } as const;
  switch (plan.protocol) {
    case 'local_fs': {
      const headers = { 'content-type': 'application/octet-stream' };
      await transport.call({ ...put, path: plan.data.put_url, body: bytes, headers }, uploadedSchema);
      return {};
    }
    case 'single_put': {
      const headers = { ...toHeaders(plan.data.required_headers), 'idempotency-key': key };
      await transport.send({ ...put, path: plan.data.put_url, body: bytes, headers });
      return {};
    }
    case 'multipart':
      return sendParts(transport, upload_id, plan.data, bytes);
  }
}

async function sendParts(
  transport: Transport,
  uploadId: string,
  plan: Extract<Upload['plan'], { protocol: 'multipart' }>['data'],
  bytes: Uint8Array<ArrayBuffer>,
): Promise<object> {
  const numbers = Array.from({ length: plan.part_count }, (_, index) => index + 1);
  await inParallel(numbers, async (part) => {
    const body = bytes.subarray((part - 1) * plan.part_size_bytes, part * plan.part_size_bytes);
    const path = `/v1/cards/upload/${uploadId}/part-url?part_number=${part}`;
    const { url } = await transport.call({ method: 'POST', path, headers: {}, repeatable: true }, partUrlSchema);
    const headers = toHeaders(plan.required_headers);
    await transport.send({ method: 'PUT', path: url, body, headers, repeatable: true, timeoutMs: uploadTimeoutMs });
  });
  // The service puts together what it holds: it needs no tags of the store, which a browser may not read.
  return { parts: numbers.map((part_number) => ({ part_number, e_tag: '' })) };
}

function toHeaders(required: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(required.map(({ name, value }) => [name, value]));
}

/** Runs the work of every item, a few at a time; the first failure is thrown. */
export async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
