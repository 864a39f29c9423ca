import { Problem } from '#contract/errors.ts';
import { consistencySchema, exportedRecordSchema, keySetSchema } from '#contract/record.ts';
import {
  checkpointsPageSchema,
  checkpointsQuerySchema,
  consistencyQuerySchema,
  shownCheckpointSchema,
  sizeText,
} from '#contract/requests/checkpoints.ts';
import { pageAnswer, pageRequest } from '../page-request.ts';
import { jsonRoute, publicRoute } from '../route.ts';

/** Loaded by the first call that asks for a part of the log: an idle host stays small. */
const reading = () => import('#service/records/read-checkpoints.ts');

/** Records, the log that they are in, and the keys that sign them (docs/spec/records.md §2, §3). */
export const recordRoutes = [
  publicRoute({
    method: 'GET',
    path: '/.well-known/touchstone/keys.json',
    summary: 'Public keys of the signatures on records',
    success: { status: 200, schema: keySetSchema },
    handle: async ({ ports }) => ({ json: await ports.signer.rootKeys() }),
  }),
  jsonRoute({
    method: 'GET',
    path: '/v1/records/{execution_id}',
    summary: 'The signed record of one execution, and its place in the log',
    any_of: ['verifier:run', 'audit:read'],
    success: { status: 200, schema: exportedRecordSchema },
    handle: async ({ ports, principal, parameters }) => {
      const { readRecord } = await import('#service/records/read-record.ts');
      return { text: await readRecord(ports, principal, parameters.execution_id ?? '') };
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/v1/checkpoints',
    summary: 'List checkpoints of the log of records, newest first',
    any_of: ['audit:read'],
    query: checkpointsQuerySchema,
    success: { status: 200, schema: checkpointsPageSchema },
    handle: async ({ ports, principal, query }) => {
      const { listCheckpoints } = await reading();
      return pageAnswer(await listCheckpoints(ports, principal, pageRequest(query)), query);
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/v1/checkpoints',
    summary: 'Close a checkpoint now; within a minute of the last one, that one',
    any_of: ['audit:read'],
    success: { status: 200, schema: shownCheckpointSchema },
    handle: async ({ ports, principal }) => {
      const { closeOnDemand } = await import('#service/records/close-checkpoint.ts');
      const { showCheckpoint } = await reading();
      return { json: showCheckpoint(await closeOnDemand(ports, principal.tenant)) };
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/v1/checkpoints/consistency',
    summary: 'Prove that a later checkpoint only adds to an earlier one',
    any_of: ['audit:read'],
    query: consistencyQuerySchema,
    success: { status: 200, schema: consistencySchema },
    handle: async ({ ports, principal, query }) => {
      const { readConsistency } = await reading();
      return { json: await readConsistency(ports, principal, Number(query.from), Number(query.to)) };
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/v1/checkpoints/{size}',
    summary: 'The first checkpoint with this many records',
    any_of: ['audit:read'],
    success: { status: 200, schema: shownCheckpointSchema },
    handle: async ({ ports, principal, parameters }) => {
      const { readCheckpoint } = await reading();
      return { json: await readCheckpoint(ports, principal, toSize(parameters.size ?? '')) };
    },
  }),
];

function toSize(text: string): number {
  if (!sizeText.safeParse(text).success) throw new Problem('WYRD_SPEC_404_NOT_FOUND', 'no checkpoint of that size');
  return Number(text);
}
