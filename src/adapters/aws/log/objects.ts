import { createHash } from 'node:crypto';
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { errorName, storeCall } from '../store-call.ts';

export async function putObject(s3: S3Client, Bucket: string, Key: string, text: string): Promise<void> {
  const Body = Buffer.from(text, 'utf8');
  const ChecksumSHA256 = createHash('sha256').update(Body).digest('base64');
  await storeCall('record object', () => s3.send(new PutObjectCommand({ Bucket, Key, Body, ChecksumSHA256 })));
}

/** Null when there is no such object. `range` is in bytes, its end exclusive. */
export async function getObject(
  s3: S3Client,
  Bucket: string,
  Key: string,
  range?: { readonly from: number; readonly to: number },
): Promise<string | null> {
  return storeCall('record object', async () => {
    try {
      const part = range === undefined ? {} : { Range: `bytes=${range.from}-${range.to - 1}` };
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, ...part }));
      return (await Body?.transformToString('utf8')) ?? '';
    } catch (error) {
      if (errorName(error) === 'NoSuchKey') return null;
      throw error;
    }
  });
}

export async function deleteObject(s3: S3Client, Bucket: string, Key: string): Promise<void> {
  await storeCall('record object', () => s3.send(new DeleteObjectCommand({ Bucket, Key })));
}

/** Runs over all, a few at a time: a checkpoint of many records must not open as many connections. */
export async function eachOf<Entry>(
  entries: readonly Entry[],
  atOnce: number,
  work: (entry: Entry) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let entry = entries[next++]; entry !== undefined; entry = entries[next++]) await work(entry);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, entries.length) }, worker));
}
