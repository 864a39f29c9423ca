import { z } from 'zod';
import { cardRefSchema } from '../cards/reference.ts';
import { jsonObjectSchema } from '../cards/shared.ts';
import { isGroupId, isRunId, uuidV7Pattern } from '../ids.ts';
import { pageOf, pageQuery } from './page.ts';

const uid = z.string().regex(uuidV7Pattern);
const runId = z.string().refine(isRunId, { error: 'a run id has 1 to 256 characters' });
const groupId = z.string().refine(isGroupId, { error: 'a group id has 1 to 256 bytes without white space' });

/** Body of `execute` and `enqueue`; closed (docs/spec/wire.md §6.1). The inputs are judged against the Verifier's slots. */
export const executeRequestSchema = z
  .strictObject({
    verifier_card_uid: uid,
    card_uid: uid,
    run_id: runId.nullish(),
    group_id: groupId.nullish(),
    inputs: jsonObjectSchema.optional(),
    execution_route_overrides: jsonObjectSchema.optional(),
    deployment_environment: z.string().min(1).max(256).nullish(),
  })
  .meta({ id: 'ExecuteRequest' });

/** Body of `replay`; closed (docs/spec/wire.md §10). */
export const replayRequestSchema = z
  .strictObject({ verifier_card_uid: uid.nullish(), compare: z.boolean().nullish() })
  .meta({ id: 'ReplayRequest' });

/** Answer of `enqueue` and `replay` (docs/spec/wire.md §6.3). */
export const enqueuedSchema = z.looseObject({ execution_id: uid }).meta({ id: 'Enqueued' });

const verdictSchema = z.enum(['passed', 'failed', 'inconclusive']);

/** docs/spec/wire.md §10.1: signed, or waiting for its signature. */
const shownRecordSchema = z.looseObject({ state: z.enum(['signed', 'pending']), digest: z.string().optional() });

/** docs/spec/wire.md §6.5. Open: clients ignore members that they do not know. */
export const verificationResultSchema = z
  .looseObject({
    execution_id: uid,
    run_id: z.string().optional(),
    verifier: cardRefSchema,
    subject: cardRefSchema,
    deployment_environment: z.string().optional(),
    outcome: z.looseObject({
      verdict: verdictSchema,
      requirements: z.array(
        z.looseObject({
          id: z.string(),
          statement: z.string(),
          outcome: z.enum(['passed', 'failed', 'inconclusive', 'not_applicable']),
          reason: z.string(),
          check: jsonObjectSchema,
        }),
      ),
      steps: z.array(z.looseObject({ id: z.string(), status: z.enum(['succeeded', 'failed', 'skipped']) })),
      evidence: jsonObjectSchema,
    }),
    record: shownRecordSchema.optional(),
  })
  .meta({ id: 'VerificationResult' });

const executionStatusSchema = z.enum([
  'pending',
  'running',
  'retrying',
  'completed',
  'cancelled',
  'timed_out',
  'errored',
]);

const executionErrorSchema = z.strictObject({ code: z.string(), message: z.string() });

/** docs/spec/wire.md §6.6. */
export const executionStateSchema = z
  .looseObject({
    execution_id: uid,
    status: executionStatusSchema,
    result: verificationResultSchema.optional(),
    error: executionErrorSchema.optional(),
    attempts: z.number().int().min(0).optional(),
    dispatches: z.array(
      z.looseObject({
        dispatch_id: uid,
        operator: z.looseObject({ uid: uid.optional(), digest: z.string().optional() }),
        status: z.string(),
        error: z.looseObject({ code: z.string() }).nullable(),
      }),
    ),
    group_id: z.string().optional(),
    owner_card_uid: uid.optional(),
    record: shownRecordSchema.optional(),
  })
  .meta({ id: 'ExecutionState' });

const originSchema = z.enum(['execute', 'enqueue', 'schedule', 'group_end', 'replay']);

const instant = z.iso.datetime({ offset: true });

/** docs/spec/wire.md §10. */
export const executionsQuerySchema = z.strictObject({
  status: executionStatusSchema.optional(),
  verdict: verdictSchema.optional(),
  verifier: z.string().min(1).max(256).optional(),
  subject: z.string().min(1).max(256).optional(),
  binding: uid.optional(),
  group_id: groupId.optional(),
  run_id: runId.optional(),
  origin: originSchema.optional(),
  from: instant.optional(),
  to: instant.optional(),
  ...pageQuery,
});

export const executionsPageSchema = pageOf(
  z.strictObject({
    execution_id: uid,
    status: executionStatusSchema,
    verdict: verdictSchema.optional(),
    origin: originSchema,
    verifier: cardRefSchema,
    subject: cardRefSchema,
    binding_id: uid.optional(),
    group_id: z.string().optional(),
    run_id: z.string().optional(),
    created_at: instant,
    ended_at: instant.optional(),
    error: executionErrorSchema.optional(),
  }),
);
