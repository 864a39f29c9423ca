import { randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { type Carried, callsPrefix } from '#contract/remote-calls.ts';

/** Brings bytes from one function to another: inside the call when they are few, else by a reference to the bucket. */
export interface Carrier {
  pack(bytes: Uint8Array): Promise<Carried>;
  /** Throws when they are above `most` bytes, or not there. */
  unpack(carried: Carried, most: number): Promise<Uint8Array>;
}

/** A call that AWS queues or records is bounded by 256 KB; base64 and the envelope take their part. */
const mostInline = 180 * 1024;
/** A direct call carries 6 MB each way; base64 costs a third. */
const mostDirect = 4_400_000;

/** Objects below the prefix expire after a day (lib/data-stack.ts). */
export function bucketCarrier(s3: S3Client, bucket: string): Carrier {
  return {
    pack: async (bytes) => {
      if (bytes.byteLength <= mostInline) return { inline: toBase64(bytes) };
      const key = `${callsPrefix}${randomUUID()}`;
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes }));
      return { key };
    },
    unpack: async (carried, most) => {
      if (!('key' in carried)) return fromCall(carried, most);
      const object = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: carried.key }));
      const length = object.ContentLength;
      if (length === undefined || length > most || !object.Body) throw new Error('carried bytes are above their limit');
      return object.Body.transformToByteArray();
    },
  };
}

/** For a function that may reach nothing: everything is in the call, compressed above what fits plainly. */
export const callCarrier: Carrier = {
  pack: async (bytes) => {
    if (bytes.byteLength <= mostInline) return { inline: toBase64(bytes) };
    const packed = gzipSync(bytes, { level: 1 });
    if (packed.byteLength > mostDirect) throw new CarryError('the bytes do not fit into one call');
    return { gzip: toBase64(packed) };
  },
  unpack: async (carried, most) => {
    if ('key' in carried) throw new Error('a reference cannot be followed here');
    return fromCall(carried, most);
  },
};

/** Bytes that are too many for one call, even compressed. */
export class CarryError extends Error {
  override readonly name = 'CarryError';
}

function fromCall(carried: Exclude<Carried, { key: string }>, most: number): Uint8Array {
  if ('gzip' in carried) return gunzipSync(Buffer.from(carried.gzip, 'base64'), { maxOutputLength: most });
  const bytes = Buffer.from(carried.inline, 'base64');
  if (bytes.byteLength > most) throw new Error('carried bytes are above their limit');
  return bytes;
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

export function toJsonBytes(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

export function fromJsonBytes(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
}
