import { createHash } from 'node:crypto';
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { storeFailure } from '#service/ports/store-failure.ts';
import { type Item, storeCall } from './store-call.ts';

/**
 * Long texts of items. What does not fit an item goes to S3 under `<owner>/<sha256>` before the write that names it:
 * a failed write leaves garbage that expires with its owner's prefix, never a name without its value.
 */
export interface Values {
  /**
   * The attributes to store: each text inside the item while they fit `most` bytes together, else where it is. Null is
   * left out.
   */
  pack(owner: string, texts: Readonly<Record<string, string | null>>, most?: number): Promise<Item>;
  /** The text of a packed attribute; null when the attribute is absent. Throws when its object is gone or another. */
  unpack(packed: unknown): Promise<string | null>;
}

/** Bytes of UTF-8 that the texts of one item may have inside it; the item may hold 400 KB with keys and all. */
const inlineBytes = 300_000;

type Packed = { readonly text: string } | { readonly object: string; readonly sha256: string };

export function bucketValues(s3: S3Client, bucket: string): Values {
  const put = async (owner: string, text: string): Promise<Packed> => {
    const body = Buffer.from(text, 'utf8');
    const sha256 = createHash('sha256').update(body).digest('hex');
    const object = `${owner}/${sha256}`;
    const checksum = Buffer.from(sha256, 'hex').toString('base64');
    await storeCall('value', () =>
      s3.send(new PutObjectCommand({ Bucket: bucket, Key: object, Body: body, ChecksumSHA256: checksum })),
    );
    return { object, sha256 };
  };
  const get = async (object: string, sha256: string): Promise<string> => {
    const body = await storeCall('value', async () => {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: object }));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    });
    if (createHash('sha256').update(body).digest('hex') !== sha256) {
      throw storeFailure(`the value ${object} is not the one that was stored`, null);
    }
    return body.toString('utf8');
  };
  return {
    async pack(owner, texts, most = inlineBytes) {
      const packed: Record<string, Packed> = {};
      let left = most;
      for (const [name, text] of Object.entries(texts)) {
        if (text === null) continue;
        const size = Buffer.byteLength(text, 'utf8');
        packed[name] = size <= left ? { text } : await put(owner, text);
        if (size <= left) left -= size;
      }
      return packed;
    },
    async unpack(packed) {
      if (packed === undefined) return null;
      const value = packed as Packed;
      return 'text' in value ? value.text : get(value.object, value.sha256);
    },
  };
}
