import { Problem } from '#contract/errors.ts';
import type { Principal } from '../auth/principal.ts';
import type { Transfers, Upload, UploadPlan, Uploads } from '../ports/uploads.ts';
import type { Clock, Evidence, Ids } from '../ports.ts';

/** Bytes of the largest evidence file (docs/spec/wire.md §5.2). */
const maxEvidenceBytes = 104_857_600;

export interface EvidencePorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly evidence: Evidence;
  readonly uploads: Uploads;
  readonly transfers: Transfers;
}

export interface DeclaredFile {
  readonly sha256: string;
  readonly size_bytes: number;
}

export interface PlannedUpload {
  readonly sha256: string;
  readonly upload_id: string;
  readonly plan: UploadPlan;
}

/** Upload plans for the files that the tenant lacks; a file asked twice is planned once (docs/spec/wire.md §5.1). */
export async function planEvidence(
  ports: EvidencePorts,
  principal: Principal,
  files: readonly DeclaredFile[],
): Promise<readonly PlannedUpload[]> {
  const wanted = new Map(files.map((file) => [file.sha256, file]));
  const large = files.find((file) => file.size_bytes > maxEvidenceBytes);
  if (large) {
    throw new Problem('WYRD_VERIFICATION_413_INPUT_TOO_LARGE', 'a file is larger than 100 MiB', {
      sha256: large.sha256,
    });
  }
  const held = await ports.evidence.sizes(principal.tenant, [...wanted.keys()]);
  const missing = [...wanted.values()].filter((file) => held.get(file.sha256) !== file.size_bytes);
  const uploads = missing.map((file) => evidenceUpload(ports, file));
  if (uploads.length > 0) await ports.uploads.open(principal.tenant, uploads);
  return Promise.all(
    uploads.map(async (upload) => ({
      sha256: upload.sha256,
      upload_id: upload.upload_id,
      plan: await ports.transfers.uploadPlan(principal.tenant, upload),
    })),
  );
}

function evidenceUpload(ports: EvidencePorts, file: DeclaredFile): Upload {
  return {
    upload_id: `wyu_${ports.ids.next()}`,
    purpose: 'evidence',
    sha256: file.sha256,
    size_bytes: file.size_bytes,
    content_type: null,
    card_uid: null,
    relative_path: null,
    status: 'pending',
    created_at: ports.clock.now(),
  };
}
