import type { z } from 'zod';
import type { MediaFormat } from '#contract/formats.ts';
import { evidencePlanSchema, storedFileSchema, uploadedSchema } from '#contract/requests/uploads.ts';
import type { Transport } from './transport.ts';
import { uuidV7 } from './uuid-v7.ts';

/** A file to be judged. */
export interface EvidenceFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly format: MediaFormat;
  /** For display only. */
  readonly filename?: string;
}

/** A file slot's input (docs/spec/wire.md §6.1). */
export interface FileInput {
  readonly kind: 'file';
  readonly sha256: string;
  readonly size_bytes: number;
  readonly format: MediaFormat;
  readonly filename?: string;
}

export type UploadPlan = z.infer<typeof evidencePlanSchema>['uploads'][number];

const perPlan = 100;
const atOnce = 4;
const uploadTimeoutMs = 300_000;

/** Evidence files (docs/spec/wire.md §5): only bytes that the service lacks are sent. */
export function evidenceCalls(transport: Transport) {
  const planEvidence = async (files: readonly Pick<FileInput, 'sha256' | 'size_bytes'>[]) => {
    const body = JSON.stringify({ files: files.map(({ sha256, size_bytes }) => ({ sha256, size_bytes })) });
    const request = {
      method: 'POST',
      path: '/v1/verification/evidence',
      headers: json,
      body,
      repeatable: true,
    } as const;
    return (await transport.call(request, evidencePlanSchema)).uploads;
  };
  const uploadFile = async (upload: UploadPlan, bytes: Uint8Array<ArrayBuffer>) => {
    const key = `evidence-upload-${uuidV7()}`;
    await put(transport, upload.plan, bytes, key);
    await transport.call(
      {
        method: 'POST',
        path: `/v1/cards/upload/${upload.upload_id}/complete`,
        headers: { ...json, 'idempotency-key': key },
        body: JSON.stringify({ protocol: upload.plan.protocol, data: {} }),
        repeatable: true,
      },
      storedFileSchema,
    );
  };
  return {
    planEvidence,
    /** Makes the files available to `execute`; the answers, in the same order, are their slots' inputs. */
    async uploadEvidence(files: readonly EvidenceFile[]): Promise<readonly FileInput[]> {
      const inputs = await Promise.all(files.map(toInput));
      const bytesOf = new Map(inputs.map((input, index) => [input.sha256, files[index]?.bytes]));
      for (let from = 0; from < inputs.length; from += perPlan) {
        const uploads = await planEvidence(inputs.slice(from, from + perPlan));
        await inParallel(uploads, async (upload) => {
          const bytes = bytesOf.get(upload.sha256);
          if (bytes) await uploadFile(upload, bytes);
        });
      }
      return inputs;
    },
  };
}

const json = { 'content-type': 'application/json' };

async function toInput({ bytes, format, filename }: EvidenceFile): Promise<FileInput> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { kind: 'file', sha256, size_bytes: bytes.byteLength, format, ...(filename !== undefined && { filename }) };
}

/** docs/spec/wire.md §5.2: a path of the service takes the token, another origin must not see it. */
async function put(
  transport: Transport,
  plan: UploadPlan['plan'],
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
    await transport.call({ ...request, headers: { 'content-type': 'application/octet-stream' } }, uploadedSchema);
    return;
  }
  const required = Object.fromEntries(plan.data.required_headers.map(({ name, value }) => [name, value]));
  await transport.send({ ...request, headers: { ...required, 'idempotency-key': key } });
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
