import type { z } from 'zod';
import type { MediaFormat } from '#contract/formats.ts';
import { evidencePlanSchema } from '#contract/requests/uploads.ts';
import { inParallel, sendUpload } from './send-upload.ts';
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
          if (bytes) await sendUpload(transport, upload, bytes, `evidence-upload-${uuidV7()}`);
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
