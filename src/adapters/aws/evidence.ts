import { createHash } from 'node:crypto';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { sha256HexPattern, tenantPattern } from '#contract/ids.ts';
import type { Evidence } from '#service/ports.ts';
import { errorName, storeCall } from './store-call.ts';

/** Objects looked at in one go. */
const looksAtOnce = 16;

/** Evidence in S3 under its digest. S3 itself refuses bytes of another digest, whoever sends them (docs/spec/wire.md §5.3). */
export function bucketEvidence(s3: S3Client, bucket: string): Evidence {
  return {
    async sizes(tenant, digests) {
      const found = new Map<string, number>();
      const waiting = [...new Set(digests)];
      const look = async () => {
        for (let sha256 = waiting.pop(); sha256 !== undefined; sha256 = waiting.pop()) {
          const size = await sizeOf(s3, bucket, evidenceKey(tenant, sha256), sha256);
          if (size !== null) found.set(sha256, size);
        }
      };
      await Promise.all(Array.from({ length: looksAtOnce }, look));
      return found;
    },
    async read(tenant, sha256, signal) {
      const key = evidenceKey(tenant, sha256);
      return unlessMissing('evidence', async () => {
        const { Body } = await s3.send(
          new GetObjectCommand({ Bucket: bucket, Key: key }),
          signal ? { abortSignal: signal } : {},
        );
        return (await Body?.transformToByteArray()) ?? new Uint8Array();
      });
    },
    async readPart(tenant, sha256, from, to) {
      const key = evidenceKey(tenant, sha256);
      if (to <= from) return new Uint8Array();
      return unlessMissing('evidence', async () => {
        const { Body } = await s3.send(
          new GetObjectCommand({ Bucket: bucket, Key: key, Range: `bytes=${from}-${to - 1}` }),
        );
        return (await Body?.transformToByteArray()) ?? new Uint8Array();
      });
    },
    async write(tenant, declared, bytes) {
      const key = evidenceKey(tenant, declared.sha256);
      const body = await collect(bytes, declared.size_bytes);
      if (body === null) return 'size_mismatch';
      if (hexDigest(body) !== declared.sha256) return 'sha256_mismatch';
      const ChecksumSHA256 = toBase64(declared.sha256);
      await storeCall('evidence', () =>
        s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ChecksumSHA256 })),
      );
      return 'stored';
    },
  };
}

/** Throws on anything that is no tenant or no digest: nothing else may become a part of a key. */
export function evidenceKey(tenant: string, sha256: string): string {
  if (!tenantPattern.test(tenant)) throw new Error('not a tenant slug');
  if (!sha256HexPattern.test(sha256)) throw new Error('not a SHA-256 digest');
  return `${tenant}/evidence/${sha256}`;
}

export function toBase64(sha256: string): string {
  return Buffer.from(sha256, 'hex').toString('base64');
}

/** Null when there is no object, or one whose stored checksum is not the digest: then it is not the evidence. */
async function sizeOf(s3: S3Client, bucket: string, key: string, sha256: string): Promise<number | null> {
  const head = await unlessMissing('evidence', () =>
    s3.send(new HeadObjectCommand({ Bucket: bucket, Key: key, ChecksumMode: 'ENABLED' })),
  );
  return head?.ChecksumSHA256 === toBase64(sha256) ? (head.ContentLength ?? null) : null;
}

async function unlessMissing<Result>(what: string, call: () => Promise<Result>): Promise<Result | null> {
  return storeCall(what, async () => {
    try {
      return await call();
    } catch (error) {
      if (errorName(error) === 'NoSuchKey' || errorName(error) === 'NotFound') return null;
      throw error;
    }
  });
}

/** All bytes, when they are exactly so many; null otherwise. More than declared is never held. */
async function collect(bytes: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.byteLength;
    if (length > size) return null;
    chunks.push(chunk);
  }
  return length === size ? Buffer.concat(chunks) : null;
}

function hexDigest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
