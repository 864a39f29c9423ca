import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { valuePrefixes } from '#contract/aws-names.ts';
import { drainEach } from '#service/ports/drain-each.ts';
import type { Execution, Spool } from '#service/ports/executions.ts';
import { storeCall } from './store-call.ts';

/**
 * Results that the store refused, one object each, until a later `drain` brings them in (docs/spec/background.md §1.5; why
 * S3 and no queue: docs/decisions/tables.md). Two drains at once store a result twice, which changes nothing.
 */
export function bucketSpool(s3: S3Client, bucket: string): Spool {
  return {
    async put(tenant, execution) {
      const Key = `${valuePrefixes.spool}${tenant}/${execution.execution_id}.json`;
      const Body = JSON.stringify({ tenant, execution });
      await storeCall('spool', () =>
        s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body, ContentType: 'application/json' })),
      );
    },
    async drain(store) {
      const listed = await storeCall('spool', () =>
        s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: valuePrefixes.spool })),
      );
      const keys = (listed.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
      const left = await drainEach(keys, async (Key) => {
        const text = await storeCall('spool', async () => {
          const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
          return (await Body?.transformToString('utf8')) ?? '';
        });
        const { tenant, execution } = JSON.parse(text) as { readonly tenant: string; readonly execution: Execution };
        await store(tenant, execution);
        await storeCall('spool', () => s3.send(new DeleteObjectCommand({ Bucket: bucket, Key })));
      });
      // One listing, of at most 1,000: beyond it there is at least one more, for the next drain.
      return left + (listed.IsTruncated ? 1 : 0);
    },
  };
}
