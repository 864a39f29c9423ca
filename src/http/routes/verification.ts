import type { z } from 'zod';
import { Problem } from '#contract/errors.ts';
import { isUuidV7 } from '#contract/ids.ts';
import {
  enqueuedSchema,
  executeRequestSchema,
  executionStateSchema,
  executionsPageSchema,
  executionsQuerySchema,
  replayRequestSchema,
  verificationResultSchema,
} from '#contract/requests/verification.ts';
import { readInputFile } from '#service/evidence/read-input.ts';
import type { CardSelector } from '#service/ports/executions.ts';
import { cancelExecution } from '#service/submit/cancel.ts';
import type { VerificationRequest } from '#service/verify/accept-request.ts';
import { listExecutions, readExecution } from '#service/verify/read-executions.ts';
import { pageAnswer, pageRequest } from '../page-request.ts';
import { jsonRoute } from '../route.ts';

const readers = ['verifier:run', 'audit:read'] as const;

export const verificationRoutes = [
  jsonRoute({
    method: 'POST',
    path: '/v1/verification/execute',
    summary: 'Judge now: run a bound Verifier on the inputs sent',
    any_of: ['verifier:run'],
    success: { status: 200, schema: verificationResultSchema },
    body: { kind: 'json', schema: executeRequestSchema, limit: 1_048_576, rules: 'evidence' },
    handle: async ({ ports, principal, body, header }) => {
      const request = requestOf(body, header('x-wyrd-workload-uid'));
      // Engine and compiler are loaded by the first call: an idle host stays small.
      const { execute } = await import('#service/verify/execute.ts');
      return { text: await execute(ports, principal, request, ports.stopping) };
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/v1/verification/enqueue',
    summary: 'Judge in the background; the answer is durable',
    any_of: ['verifier:run'],
    success: { status: 202, schema: enqueuedSchema },
    body: { kind: 'json', schema: executeRequestSchema, limit: 1_048_576, rules: 'evidence' },
    handle: async ({ ports, principal, body, header }) => {
      const request = requestOf(body, header('x-wyrd-workload-uid'));
      const { enqueue } = await import('#service/submit/enqueue.ts');
      const call = { request, key: header('idempotency-key'), body: present(body) };
      return { status: 202, text: await enqueue(ports, principal, call) };
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/v1/verification/executions',
    summary: 'List executions, newest first',
    any_of: readers,
    query: executionsQuerySchema,
    success: { status: 200, schema: executionsPageSchema },
    handle: async ({ ports, principal, query }) => {
      const { limit: _limit, cursor: _cursor, verifier, subject, from, to, ...equal } = query;
      const filter = {
        ...present(equal),
        ...(verifier === undefined ? {} : { verifier: selectorOf(verifier) }),
        ...(subject === undefined ? {} : { subject: selectorOf(subject) }),
        ...(from === undefined ? {} : { from: toInstant(from) }),
        ...(to === undefined ? {} : { to: toInstant(to) }),
      };
      return pageAnswer(await listExecutions(ports, principal, filter, pageRequest(query)), query);
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/v1/verification/executions/{execution_id}',
    summary: 'Read one execution and its result',
    any_of: readers,
    success: { status: 200, schema: executionStateSchema },
    handle: async ({ ports, principal, parameters }) => ({
      text: await readExecution(ports, principal, parameters.execution_id ?? ''),
    }),
  }),
  jsonRoute({
    method: 'POST',
    path: '/v1/verification/executions/{execution_id}/cancel',
    summary: 'Cancel an execution that is not settled',
    any_of: ['verifier:run'],
    success: { status: 200, schema: executionStateSchema },
    handle: async ({ ports, principal, parameters }) => ({
      text: await cancelExecution(ports, principal, parameters.execution_id ?? ''),
    }),
  }),
  jsonRoute({
    method: 'POST',
    path: '/v1/verification/executions/{execution_id}/replay',
    summary: 'Judge the pinned evidence of an execution again',
    any_of: ['verifier:run'],
    success: { status: 202, schema: enqueuedSchema },
    body: { kind: 'json', schema: replayRequestSchema, limit: 65_536, rules: 'plain' },
    handle: async ({ ports, principal, parameters, body, header }) => {
      const { replayExecution } = await import('#service/submit/replay.ts');
      const call = {
        execution_id: parameters.execution_id ?? '',
        verifier_card_uid: body.verifier_card_uid ?? null,
        compare: body.compare ?? false,
        key: header('idempotency-key'),
        body: present(body),
      };
      return { status: 202, text: await replayExecution(ports, principal, call) };
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/v1/verification/executions/{execution_id}/evidence/{slot}',
    summary: 'The bytes of a file that was judged; 410 once it is no longer held',
    any_of: readers,
    success: { status: 200, content_type: 'application/octet-stream' },
    handle: async ({ ports, principal, parameters }) => ({
      bytes: await readInputFile(ports, principal, parameters.execution_id ?? '', parameters.slot ?? ''),
      content_type: 'application/octet-stream',
    }),
  }),
  jsonRoute({
    method: 'POST',
    path: '/v1/verification/executions/{execution_id}/erase',
    summary: 'Delete the evidence and the result of one execution; its record stays',
    any_of: ['evidence:delete'],
    success: { status: 200, schema: executionStateSchema },
    handle: async ({ ports, principal, parameters }) => {
      const { eraseExecution } = await import('#service/records/retain.ts');
      return { text: await eraseExecution(ports, principal, parameters.execution_id ?? '') };
    },
  }),
];

function requestOf(body: z.infer<typeof executeRequestSchema>, workload: string | null): VerificationRequest {
  return {
    verifier_card_uid: body.verifier_card_uid,
    card_uid: body.card_uid,
    run_id: body.run_id ?? null,
    group_id: body.group_id ?? null,
    inputs: body.inputs ?? {},
    execution_route_overrides: body.execution_route_overrides ?? {},
    deployment_environment: body.deployment_environment ?? null,
    workload_uid: workloadOf(workload),
  };
}

/** docs/spec/wire.md §1.3: at most once, a UUIDv7. A repeated header arrives joined by a comma and is none. */
function workloadOf(header: string | null): string | null {
  if (header === null || isUuidV7(header)) return header;
  throw new Problem('WYRD_SPEC_400_VALIDATION', 'x-wyrd-workload-uid is not one UUIDv7', {
    field: 'x-wyrd-workload-uid',
  });
}

/** A uid, a name, or `name@version`. */
function selectorOf(text: string): CardSelector {
  if (isUuidV7(text)) return { by: 'uid', uid: text };
  const [name = '', version] = text.split('@', 2);
  return { by: 'name', name, ...(version === undefined ? {} : { version }) };
}

/** The spelling that stored times have, so that texts compare as times. */
function toInstant(text: string): string {
  return new Date(text).toISOString();
}

type Present<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Without the members that were not sent. */
function present<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>;
}
