import { z } from 'zod';
import { machinePlaceSchema, machineStartSchema } from './machine.ts';

/** Environment variables of the functions beside those of the stores (aws-names.ts). */
export const functionEnvironment = {
  /** Functions that another one calls directly. */
  extract: 'TOUCHSTONE_EXTRACT_FUNCTION',
  sandbox: 'TOUCHSTONE_SANDBOX_FUNCTION',
  models: 'TOUCHSTONE_MODELS_FUNCTION',
  deliver: 'TOUCHSTONE_DELIVER_FUNCTION',
  /** JSON: {deployments, native}, as the settings of the stack have them. */
  modelRoutes: 'TOUCHSTONE_MODEL_ROUTES',
  /** JSON list of origins. */
  corsOrigins: 'TOUCHSTONE_CORS_ORIGINS',
  /** ARN of the secret with the first administrator's key. */
  adminKeySecret: 'TOUCHSTONE_ADMIN_KEY_SECRET',
  adminTenant: 'TOUCHSTONE_ADMIN_TENANT',
} as const;

/** Calls of the state machine's light steps (contract/machine.ts has what they carry). */
export const stepCallSchema = z.discriminatedUnion('step', [
  z.strictObject({ step: z.literal('claim'), input: machineStartSchema }),
  z.strictObject({ step: z.literal('advance'), input: machinePlaceSchema }),
]);

export const endCallSchema = z.discriminatedUnion('step', [
  z.strictObject({ step: z.literal('decide'), input: machinePlaceSchema }),
  z.strictObject({ step: z.literal('fail'), input: machinePlaceSchema }),
  z.strictObject({ step: z.literal('time_out'), input: machinePlaceSchema }),
]);

const text = z.string().min(1).max(1_024);

/** What a one-time schedule says: the row that is due (src/adapters/aws/background/alarms.ts). */
export const alarmCallSchema = z.strictObject({
  ring: z.strictObject({
    tenant: text,
    kind: z.enum(['occurrence', 'group', 'dispatch', 'baseline']),
    id: text,
    due_at: z.number(),
  }),
});

/** One attempt of a dispatch. */
export const deliverCallSchema = z.strictObject({ tenant: text, execution_id: text, dispatch_id: text });
export type DeliverCall = z.infer<typeof deliverCallSchema>;

/** What the schedules ask of the sweep. */
export const sweepCallSchema = z.looseObject({ audit: z.boolean().default(false) });

const route = z.object({
  provider: z.enum(['openai-compatible', 'anthropic', 'bedrock']),
  base_url: z.url().exactOptional(),
  region: z.string().exactOptional(),
  model: z.string().exactOptional(),
  api_key_secret: z.string().exactOptional(),
});
export type ModelRoute = z.infer<typeof route>;

export const modelRoutesSchema = z.object({
  deployments: z.record(z.string(), route),
  native: z.record(z.string(), route),
});

/** What an operator may ask of the keys function, besides CloudFormation (docs/deploy.md). */
export const keysCallSchema = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('create'),
    tenant: z.string(),
    name: z.string().min(1).max(128),
    role: z.enum(['viewer', 'workload', 'editor', 'admin']),
    card_uid: z.string().exactOptional(),
    verifier_uids: z.array(z.string()).max(1_000).exactOptional(),
  }),
  z.strictObject({ action: z.literal('list'), tenant: z.string() }),
  z.strictObject({ action: z.literal('revoke'), tenant: z.string(), key_id: z.string() }),
]);
