import { z } from 'zod';
import { cardNamePattern, uuidV7Pattern } from '../ids.ts';

const name = z.string().regex(cardNamePattern);
/** Sent in one header line or one JSON text: printable ASCII. */
const secret = z
  .string()
  .min(1)
  .max(4_000)
  .regex(/^[\x20-\x7e]+$/, { error: 'must be printable ASCII' });
const workspaceId = z.string().min(1).max(256).regex(/\S/, { error: 'must not be blank' });
const origin = z.string().min(1).max(2_048);

const authSchema = z.discriminatedUnion('scheme', [
  z.strictObject({ scheme: z.literal('bearer'), token: secret }),
  z.strictObject({
    scheme: z.literal('basic'),
    // A colon would end the user name (RFC 7617).
    username: z
      .string()
      .max(1_024)
      .regex(/^[\x20-\x39\x3b-\x7e]*$/, { error: 'must be printable ASCII without a colon' }),
    password: secret,
  }),
  z.strictObject({ scheme: z.literal('header'), name: z.string().min(1).max(256), value: secret }),
]);

/** A new connection of one provider, with its secret (docs/spec/wire.md §8). */
export const connectionCreateSchema = z
  .discriminatedUnion('provider', [
    z.strictObject({ provider: z.literal('slack'), name, workspace_id: workspaceId, bot_token: secret }),
    z.strictObject({ provider: z.literal('pager_duty'), name, integration_key: secret }),
    z.strictObject({ provider: z.literal('http'), name, origin, auth: authSchema }),
  ])
  .meta({ id: 'ConnectionCreate' });

export type ConnectionCreate = z.infer<typeof connectionCreateSchema>;

const status = z.enum(['active', 'disabled']).optional();

/** A change; what is left out stays, the name always does. `provider` is that of the stored connection. */
export const connectionUpdateSchema = z
  .discriminatedUnion('provider', [
    z.strictObject({
      provider: z.literal('slack'),
      status,
      workspace_id: workspaceId.optional(),
      bot_token: secret.optional(),
    }),
    z.strictObject({ provider: z.literal('pager_duty'), status, integration_key: secret.optional() }),
    z.strictObject({ provider: z.literal('http'), status, origin: origin.optional(), auth: authSchema.optional() }),
    z.strictObject({ provider: z.undefined().optional(), status }),
  ])
  .meta({ id: 'ConnectionUpdate' });

export type ConnectionUpdate = z.infer<typeof connectionUpdateSchema>;

const uid = z.string().regex(uuidV7Pattern);
const instant = z.iso.datetime({ offset: true });

/** What may be shown of a connection: never its secret. */
export const connectionSchema = z
  .looseObject({
    connection_id: uid,
    name: z.string(),
    provider: z.enum(['slack', 'pager_duty', 'http']),
    workspace_id: z.string().optional(),
    origin: z.string().optional(),
    auth: z.looseObject({ scheme: z.enum(['bearer', 'basic', 'header']), name: z.string().optional() }).optional(),
    status: z.enum(['active', 'disabled']),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Connection' });

export type ConnectionView = z.infer<typeof connectionSchema>;

export const connectionListSchema = z.array(connectionSchema).meta({ id: 'Connections' });
