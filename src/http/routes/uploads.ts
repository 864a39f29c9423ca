import {
  completeUploadRequestSchema,
  evidencePlanRequestSchema,
  evidencePlanSchema,
  partQuerySchema,
  partUrlSchema,
  storedFileSchema,
  uploadedSchema,
} from '#contract/requests/uploads.ts';
import { planEvidence } from '#service/evidence/plan-evidence.ts';
import { completeUpload, partUrl, receiveUpload } from '#service/evidence/receive-upload.ts';
import { jsonRoute } from '../route.ts';

export const uploadRoutes = [
  jsonRoute({
    method: 'POST',
    path: '/v1/verification/evidence',
    summary: 'Plan the upload of evidence files that the tenant lacks',
    any_of: ['verifier:run'],
    success: { status: 200, schema: evidencePlanSchema },
    body: { kind: 'json', schema: evidencePlanRequestSchema, limit: 65_536, rules: 'plain' },
    handle: async ({ ports, principal, body }) => ({
      json: { uploads: await planEvidence(ports, principal, body.files) },
    }),
  }),
  jsonRoute<AsyncIterable<Uint8Array>>({
    method: 'PUT',
    path: '/v1/cards/upload/local/{upload_id}',
    summary: 'Send the bytes of an upload to a host that stores them itself',
    any_of: ['verifier:run', 'artifacts:write'],
    success: { status: 200, schema: uploadedSchema },
    body: { kind: 'stream' },
    handle: async ({ ports, principal, parameters, body }) => {
      await receiveUpload(ports, principal, parameters.upload_id ?? '', body);
      return { json: { uploaded: true } };
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/v1/cards/upload/{upload_id}/part-url',
    summary: 'Where one part of a large file is sent',
    any_of: ['artifacts:write'],
    success: { status: 200, schema: partUrlSchema },
    query: partQuerySchema,
    handle: async ({ ports, principal, parameters, query }) => ({
      json: await partUrl(ports, principal, parameters.upload_id ?? '', query.part_number),
    }),
  }),
  jsonRoute({
    method: 'POST',
    path: '/v1/cards/upload/{upload_id}/complete',
    summary: 'Settle an upload whose bytes were sent',
    any_of: ['verifier:run', 'artifacts:write'],
    success: { status: 200, schema: storedFileSchema },
    body: { kind: 'json', schema: completeUploadRequestSchema, limit: 65_536, rules: 'plain' },
    handle: async ({ ports, principal, parameters }) => ({
      json: { stored: await completeUpload(ports, principal, parameters.upload_id ?? '') },
    }),
  }),
];
