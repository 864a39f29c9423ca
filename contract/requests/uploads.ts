import { z } from 'zod';
import { sha256HexPattern } from '../ids.ts';

const fileSchema = z.strictObject({
  sha256: z.string().regex(sha256HexPattern),
  size_bytes: z.int().min(0),
});

/** Body of `POST /v1/verification/evidence` (docs/spec/wire.md §5.1). */
export const evidencePlanRequestSchema = z.strictObject({ files: z.array(fileSchema).max(100) });

export const uploadPlanSchema = z.discriminatedUnion('protocol', [
  z.strictObject({
    protocol: z.literal('local_fs'),
    data: z.strictObject({ put_url: z.string(), ttl_secs: z.int() }),
  }),
  z.strictObject({
    protocol: z.literal('single_put'),
    data: z.strictObject({
      put_url: z.string(),
      ttl_secs: z.int(),
      required_headers: z.array(z.strictObject({ name: z.string(), value: z.string() })),
    }),
  }),
  z.strictObject({
    protocol: z.literal('multipart'),
    data: z.strictObject({
      part_count: z.int(),
      part_size_bytes: z.int(),
      part_url_ttl_secs: z.int(),
      required_headers: z.array(z.strictObject({ name: z.string(), value: z.string() })),
    }),
  }),
]);

/** Query of an upload's `part-url`, and its answer (docs/spec/wire.md §5.2). */
export const partQuerySchema = z.strictObject({ part_number: z.coerce.number().int().min(1).max(10_000) });
export const partUrlSchema = z.strictObject({ url: z.string(), ttl_secs: z.int() });

export const evidencePlanSchema = z.strictObject({
  uploads: z.array(z.strictObject({ sha256: z.string(), upload_id: z.string(), plan: uploadPlanSchema })),
});

/** Body of an upload's `complete` (docs/spec/wire.md §5.4). */
export const completeUploadRequestSchema = z.strictObject({
  protocol: z.enum(['single_put', 'local_fs', 'multipart']),
  data: z.looseObject({}),
});

export const storedFileSchema = z.strictObject({
  stored: z.strictObject({
    storage_path: z.string(),
    size_bytes: z.int(),
    sha256: z.string(),
    content_type: z.string().nullable(),
    sse_marker: z.null(),
    created_at: z.iso.datetime(),
  }),
});

export const uploadedSchema = z.strictObject({ uploaded: z.literal(true) });
