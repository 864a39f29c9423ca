import { z } from 'zod';
import { cardNamePattern } from '../ids.ts';
import { descriptionSchema, jsonSchema, mapOf } from './shared.ts';

const connection = z.string().regex(cardNamePattern);
const filled = z.string().min(1).max(256).regex(/\S/, { error: 'must not be blank' });
const template = z.string().min(1).max(4096);

const pagerDutyChannelSchema = z.strictObject({
  kind: z.literal('pager_duty'),
  connection,
  route: filled,
  severity: z.enum(['critical', 'error', 'warning', 'info']),
  summary: template,
  dedup_key: template.optional(),
});

const slackChannelSchema = z.strictObject({
  kind: z.literal('slack'),
  connection,
  channel_id: filled,
  text: template,
});

const channelSchema = z.discriminatedUnion('kind', [pagerDutyChannelSchema, slackChannelSchema]);

const httpAuthSchema = z.discriminatedUnion('scheme', [
  z.strictObject({ scheme: z.literal('bearer'), connection }),
  z.strictObject({ scheme: z.literal('basic'), connection }),
  z.strictObject({ scheme: z.literal('header'), name: z.string().max(256), connection }),
]);

export type HttpAuth = z.infer<typeof httpAuthSchema>;

const operatorBudgetSchema = z.strictObject({
  max_wall_seconds: z.int().min(1).max(4_294_967_295).optional(),
  max_tool_calls: z.int().min(0).max(4_294_967_295).optional(),
});

const notifyOperatorSchema = z.strictObject({
  kind: z.literal('notify'),
  description: descriptionSchema,
  channel: channelSchema,
  budget: operatorBudgetSchema.optional(),
});

const httpOperatorSchema = z.strictObject({
  kind: z.literal('http'),
  description: descriptionSchema,
  method: z.enum(['get', 'post', 'put', 'patch', 'delete']),
  url: z.string().min(1).max(2048),
  headers: mapOf(z.string().max(256), z.string().max(4096)).optional(),
  body: jsonSchema.optional(),
  auth: httpAuthSchema.optional(),
  timeout_seconds: z.int().min(1).max(4_294_967_295).optional(),
  expect_status: z.int().optional(),
  budget: operatorBudgetSchema.optional(),
});

/** docs/spec/background.md §7.1. Templates, headers and URLs are judged by the compiler. */
export const operatorSpecSchema = z.discriminatedUnion('kind', [notifyOperatorSchema, httpOperatorSchema]);

export type OperatorSpec = z.infer<typeof operatorSpecSchema>;
export type HttpOperator = z.infer<typeof httpOperatorSchema>;
