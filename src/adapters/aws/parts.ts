import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  PutObjectCommand,
  type S3Client,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { callsPrefix } from '#contract/remote-calls.ts';
import type { PartTransfers, Upload, UploadPlan } from '#service/ports/uploads.ts';
import { evidenceKey, toBase64 } from './evidence.ts';
import { errorName, storeCall } from './store-call.ts';

export interface PartSizes {
  /** Files of Artifacts above this travel in parts. */
  readonly whole_up_to: number;
  /** Of every part but the last. S3 takes 5 MiB to 5 GiB. */
  readonly part: number;
}

/** docs/spec/wire.md §5.2. */
export const partSizes: PartSizes = { whole_up_to: 100 << 20, part: 64 << 20 };
const partUrlSeconds = 900;
const copiesAtOnce = 8;

interface Buckets {
  readonly evidence: string;
  /** Parts lie below the prefix of calls, which expires after a day as their sessions do (lib/data-stack.ts). */
  readonly parts: string;
  readonly sizes: PartSizes;
}

export function travelsInParts({ purpose, size_bytes }: Upload, sizes: PartSizes): boolean {
  return purpose === 'artifact' && size_bytes > sizes.whole_up_to;
}

export function partsPlan(
  { size_bytes }: Upload,
  sizes: PartSizes,
): Extract<UploadPlan, { protocol: 'multipart' }>['data'] {
  const part_count = Math.ceil(size_bytes / sizes.part);
  return { part_count, part_size_bytes: sizes.part, part_url_ttl_secs: partUrlSeconds, required_headers: [] };
}

/**
 * Each part is an object of its own, so a part may be sent twice, late or at the same time, and no session of S3 has to be
 * remembered. S3 puts them together and computes the digest of the whole while copying; only bytes with the declared
 * digest get its name (docs/decisions/large-artifacts.md).
 */
export function bucketParts(s3: S3Client, buckets: Buckets): PartTransfers {
  return {
    async partUrl(tenant, upload, part) {
      if (!travelsInParts(upload, buckets.sizes) || part > partsPlan(upload, buckets.sizes).part_count) return null;
      const command = new PutObjectCommand({
        Bucket: buckets.parts,
        Key: partKey(tenant, upload, String(part)),
        ContentLength: partLength(upload, part, buckets.sizes),
      });
      const signing = { expiresIn: partUrlSeconds, signableHeaders: new Set(['host', 'content-length']) };
      return { url: await storeCall('link', () => getSignedUrl(s3, command, signing)), ttl_secs: partUrlSeconds };
    },
    async assemble(tenant, upload) {
      if (!travelsInParts(upload, buckets.sizes) || !(await allThere(s3, buckets, tenant, upload))) return 'incomplete';
      const wanted = toBase64(upload.sha256);
      const whole = { Bucket: buckets.parts, Key: partKey(tenant, upload, 'whole') };
      const checked = { Bucket: buckets.parts, Key: partKey(tenant, upload, 'checked') };
      // Each step is kept: gigabytes take longer than one call, and the next one goes on from there.
      if ((await look(s3, checked))?.ChecksumSHA256 !== wanted) {
        if ((await look(s3, whole))?.ContentLength !== upload.size_bytes) await join(s3, buckets, tenant, upload);
        if ((await copy(s3, `${whole.Bucket}/${whole.Key}`, checked)) !== wanted) {
          await forget(s3, [whole, checked]);
          return 'sha256_mismatch';
        }
      }
      const named = { Bucket: buckets.evidence, Key: evidenceKey(tenant, upload.sha256) };
      return (await copy(s3, `${checked.Bucket}/${checked.Key}`, named)) === wanted ? 'stored' : 'sha256_mismatch';
    },
  };
}

function partKey(tenant: string, { upload_id, sha256 }: Upload, name: string): string {
  // Refuses what is no tenant and no digest.
  evidenceKey(tenant, sha256);
  return `${callsPrefix}parts/${tenant}/${upload_id}/${name}`;
}

function partLength({ size_bytes }: Upload, part: number, sizes: PartSizes): number {
  return Math.min(sizes.part, size_bytes - (part - 1) * sizes.part);
}

async function allThere(s3: S3Client, buckets: Buckets, tenant: string, upload: Upload): Promise<boolean> {
  const sizes = await eachPart(partsPlan(upload, buckets.sizes).part_count, async (part) => {
    const head = await look(s3, { Bucket: buckets.parts, Key: partKey(tenant, upload, String(part)) });
    return head?.ContentLength === partLength(upload, part, buckets.sizes);
  });
  return sizes.every(Boolean);
}

interface ObjectName {
  readonly Bucket: string;
  readonly Key: string;
}

/** Length and digest of an object; null when there is none. */
async function look(s3: S3Client, object: ObjectName): Promise<HeadObjectCommandOutput | null> {
  return storeCall('part', async () => {
    try {
      return await s3.send(new HeadObjectCommand({ ...object, ChecksumMode: 'ENABLED' }));
    } catch (error) {
      if (errorName(error) === 'NotFound' || errorName(error) === 'NoSuchKey') return null;
      throw error;
    }
  });
}

/** Parts that were wrong may be sent again: what was made of them must not stay. */
async function forget(s3: S3Client, objects: readonly ObjectName[]): Promise<void> {
  await Promise.all(objects.map((object) => storeCall('part', () => s3.send(new DeleteObjectCommand(object)))));
}

async function join(s3: S3Client, buckets: Buckets, tenant: string, upload: Upload): Promise<void> {
  const target = { Bucket: buckets.parts, Key: partKey(tenant, upload, 'whole') };
  await storeCall('parts', async () => {
    // Left unfinished it goes after a day, by the rule of the bucket.
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(target));
    const parts = await eachPart(partsPlan(upload, buckets.sizes).part_count, async (PartNumber) => {
      const CopySource = `${buckets.parts}/${partKey(tenant, upload, String(PartNumber))}`;
      const copied = await s3.send(new UploadPartCopyCommand({ ...target, UploadId, PartNumber, CopySource }));
      return { PartNumber, ETag: copied.CopyPartResult?.ETag };
    });
    await s3.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts: parts } }));
  });
}

/** The digest, in base64, that S3 computed of what it copied. */
async function copy(s3: S3Client, CopySource: string, to: ObjectName): Promise<string | undefined> {
  return storeCall('copy', async () => {
    await s3.send(new CopyObjectCommand({ ...to, CopySource, ChecksumAlgorithm: 'SHA256' }));
    const head = await s3.send(new HeadObjectCommand({ ...to, ChecksumMode: 'ENABLED' }));
    return head.ChecksumSHA256;
  });
}

async function eachPart<Value>(count: number, work: (part: number) => Promise<Value>): Promise<Value[]> {
  const results: Value[] = [];
  const waiting = Array.from({ length: count }, (_, index) => index + 1);
  const worker = async () => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) results[part - 1] = await work(part);
  };
  await Promise.all(Array.from({ length: copiesAtOnce }, worker));
  return results;
}
