import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Transfers } from '#service/ports/uploads.ts';
import { evidenceKey, toBase64 } from './evidence.ts';
import { bucketParts, type PartSizes, partSizes, partsPlan, travelsInParts } from './parts.ts';
import { storeCall } from './store-call.ts';

/** docs/spec/wire.md §5.3. */
const uploadSeconds = 900;
const checksumHeader = 'x-amz-checksum-sha256';

/**
 * Links signed by S3. An upload's link is good for one digest and one length: both are signed headers, so S3 refuses other
 * bytes. The same bytes may come again, at any time, since a client repeats a PUT whose answer it lost.
 */
export function bucketTransfers(
  s3: S3Client,
  bucket: string,
  partsBucket: string,
  sizes: PartSizes = partSizes,
): Transfers {
  return {
    parts: bucketParts(s3, { evidence: bucket, parts: partsBucket, sizes }),
    async uploadPlan(tenant, upload) {
      if (travelsInParts(upload, sizes)) return { protocol: 'multipart', data: partsPlan(upload, sizes) };
      const checksum = toBase64(upload.sha256);
      const command = new PutObjectCommand({
        Bucket: bucket,
        Key: evidenceKey(tenant, upload.sha256),
        ContentLength: upload.size_bytes,
        ChecksumSHA256: checksum,
      });
      const put_url = await storeCall('link', () =>
        getSignedUrl(s3, command, {
          expiresIn: uploadSeconds,
          // A header that became a parameter of the link would bind nothing of what is sent.
          unhoistableHeaders: new Set([checksumHeader]),
          signableHeaders: new Set(['host', 'content-length', checksumHeader]),
        }),
      );
      const required_headers = [{ name: checksumHeader, value: checksum }];
      return { protocol: 'single_put', data: { put_url, ttl_secs: uploadSeconds, required_headers } };
    },
    async downloadUrl(tenant, file, ttlSeconds) {
      const command = new GetObjectCommand({
        Bucket: bucket,
        Key: evidenceKey(tenant, file.sha256),
        // Whatever the bytes are, a browser saves them and does not show them.
        ResponseContentDisposition: 'attachment',
        ResponseContentType: 'application/octet-stream',
      });
      return storeCall('link', () => getSignedUrl(s3, command, { expiresIn: ttlSeconds }));
    },
  };
}
