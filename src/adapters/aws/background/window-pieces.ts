import { createHash } from 'node:crypto';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { valuePrefixes } from '#contract/aws-names.ts';
import type { PiecePlace, WindowPieces } from '#service/ports/large-windows.ts';
import { errorName, storeCall } from '../store-call.ts';

/** Pieces of windows in S3, beside the answers of the same attempt; they expire as those do. */
export function bucketPieces(s3: S3Client, bucket: string): WindowPieces {
  return {
    async put(place, name, bytes) {
      await storeCall('piece of a window', () =>
        s3.send(new PutObjectCommand({ Bucket: bucket, Key: `${prefixOf(place)}${name}`, Body: bytes })),
      );
    },
    async read(place, name, span) {
      if (span && span.to <= span.from) return new Uint8Array();
      const Range = span && { Range: `bytes=${span.from}-${span.to - 1}` };
      return storeCall('piece of a window', async () => {
        try {
          const { Body } = await s3.send(
            new GetObjectCommand({ Bucket: bucket, Key: `${prefixOf(place)}${name}`, ...Range }),
          );
          return (await Body?.transformToByteArray()) ?? new Uint8Array();
        } catch (error) {
          if (errorName(error) === 'NoSuchKey') return null;
          // It begins where the piece ends.
          if (errorName(error) === 'InvalidRange') return new Uint8Array();
          throw error;
        }
      });
    },
    async names(place) {
      const Prefix = prefixOf(place);
      const names = new Set<string>();
      let after: string | undefined;
      do {
        const from = after === undefined ? {} : { ContinuationToken: after };
        const page = await storeCall('pieces of a window', () =>
          s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix, ...from })),
        );
        for (const { Key = '' } of page.Contents ?? []) names.add(Key.slice(Prefix.length));
        after = page.IsTruncated ? page.NextContinuationToken : undefined;
      } while (after !== undefined);
      return names;
    },
  };
}

/** Names of checks are a caller's text: only their digest becomes a part of a key. */
function prefixOf({ tenant, execution_id, attempt, work_id }: PiecePlace): string {
  const work = createHash('sha256').update(work_id).digest('hex');
  return `${valuePrefixes.work}${tenant}/${execution_id}/windows/${attempt}/${work}/`;
}
