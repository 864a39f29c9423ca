import { Problem } from '#contract/errors.ts';
import { isUploadId } from '#contract/ids.ts';
import { type Principal, requirePermission } from '../auth/principal.ts';
import type { Upload } from '../ports/uploads.ts';
import { toRfc3339 } from '../time.ts';
import type { EvidencePorts } from './plan-evidence.ts';

/** A session that nobody finished is gone after a day (docs/spec/wire.md §5.7). */
const uploadLifeMs = 24 * 3_600_000;

/** What `complete` answers; closed shape (docs/spec/wire.md §5.4). `sha256` is base64. */
export interface StoredFile {
  readonly storage_path: string;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly content_type: string | null;
  readonly sse_marker: null;
  readonly created_at: string;
}

/**
 * Takes the bytes of a session on a host that stores them itself. Durable when it resolves; the same bytes again are
 * welcome, since clients repeat a PUT whose answer they lost. Other bytes fail the session.
 */
export async function receiveUpload(
  ports: EvidencePorts,
  principal: Principal,
  uploadId: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const upload = await findUpload(ports, principal, uploadId);
  if (upload.status === 'failed') throw new Problem('WYRD_STORAGE_409_UPLOAD_NOT_PENDING', 'this upload has failed');
  const outcome = await ports.evidence.write(principal.tenant, upload, bytes);
  if (outcome === 'stored') return;
  if (upload.status === 'pending') await ports.uploads.settle(principal.tenant, uploadId, 'failed');
  throw outcome === 'size_mismatch'
    ? storageProblem('WYRD_STORAGE_400_SIZE_MISMATCH', 'the bytes are not of the declared length', 'size_mismatch')
    : storageProblem('WYRD_STORAGE_400_SHA256_MISMATCH', 'the bytes have another digest', 'sha256_mismatch');
}

/** Where one part of a file that travels in parts is sent. */
export async function partUrl(
  ports: EvidencePorts,
  principal: Principal,
  uploadId: string,
  part: number,
): Promise<{ readonly url: string; readonly ttl_secs: number }> {
  const upload = await findUpload(ports, principal, uploadId);
  if (upload.status !== 'pending') throw new Problem('WYRD_STORAGE_409_UPLOAD_NOT_PENDING', 'this upload is settled');
  const made = await ports.transfers.parts?.partUrl(principal.tenant, upload, part);
  if (made) return made;
  throw storageProblem('WYRD_STORAGE_404_UPLOAD_NOT_FOUND', 'the upload has no such part', 'upload_not_found');
}

/** Settles a session whose bytes are in the store. Repeats answer the same. */
export async function completeUpload(
  ports: EvidencePorts,
  principal: Principal,
  uploadId: string,
): Promise<StoredFile> {
  const upload = await findUpload(ports, principal, uploadId);
  if (upload.status === 'failed') throw new Problem('WYRD_STORAGE_409_UPLOAD_NOT_PENDING', 'this upload has failed');
  if (upload.status === 'pending') await settleStored(ports, principal, upload);
  const area = upload.purpose === 'evidence' ? 'evidence' : 'artifacts';
  return {
    storage_path: `${principal.tenant}/${area}/${upload.sha256}`,
    size_bytes: upload.size_bytes,
    sha256: Buffer.from(upload.sha256, 'hex').toString('base64'),
    content_type: upload.content_type,
    sse_marker: null,
    created_at: toRfc3339(upload.created_at),
  };
}

async function settleStored(ports: EvidencePorts, principal: Principal, upload: Upload): Promise<void> {
  const stored = (await sizeOf(ports, principal, upload)) ?? (await assembled(ports, principal, upload));
  if (stored === undefined) {
    throw storageProblem('WYRD_STORAGE_404_UPLOAD_NOT_FOUND', 'no bytes were uploaded', 'upload_not_found');
  }
  if (stored !== upload.size_bytes) {
    await ports.uploads.settle(principal.tenant, upload.upload_id, 'failed');
    throw storageProblem('WYRD_STORAGE_400_SIZE_MISMATCH', 'the bytes are not of the declared length', 'size_mismatch');
  }
  await ports.uploads.settle(principal.tenant, upload.upload_id, 'completed');
}

async function sizeOf(ports: EvidencePorts, { tenant }: Principal, upload: Upload): Promise<number | undefined> {
  return (await ports.evidence.sizes(tenant, [upload.sha256])).get(upload.sha256);
}

/** Its size when it came in parts and they are all there. */
async function assembled(ports: EvidencePorts, principal: Principal, upload: Upload): Promise<number | undefined> {
  const outcome = await ports.transfers.parts?.assemble(principal.tenant, upload);
  if (outcome === 'sha256_mismatch') {
    await ports.uploads.settle(principal.tenant, upload.upload_id, 'failed');
    throw storageProblem('WYRD_STORAGE_400_SHA256_MISMATCH', 'the bytes have another digest', 'sha256_mismatch');
  }
  return outcome === 'stored' ? sizeOf(ports, principal, upload) : undefined;
}

async function findUpload(ports: EvidencePorts, principal: Principal, uploadId: string): Promise<Upload> {
  if (!isUploadId(uploadId)) {
    throw storageProblem('WYRD_STORAGE_400_INVALID_UPLOAD_ID', 'not an upload id', 'invalid_upload_id');
  }
  const upload = await ports.uploads.find(principal.tenant, uploadId);
  const lapsed = upload?.status === 'pending' && ports.clock.now() - upload.created_at > uploadLifeMs;
  if (!upload || lapsed) {
    throw storageProblem('WYRD_STORAGE_404_UPLOAD_NOT_FOUND', 'no such upload', 'upload_not_found');
  }
  requirePermission(principal, [upload.purpose === 'evidence' ? 'verifier:run' : 'artifacts:write']);
  return upload;
}

/** The published client rebuilds a storage error only from this form of details (docs/spec/wire.md §3.3). */
export function storageProblem(
  code: Extract<ConstructorParameters<typeof Problem>[0], `WYRD_STORAGE_${string}`>,
  detail: string,
  variant: string,
): Problem {
  return new Problem(code, detail, { variant, data: {} });
}
