import { z } from 'zod';
import { mediaFormats } from './formats.ts';
import type { Json, JsonObject } from './json.ts';
import { type ReasonCode, reasonTexts } from './reason-codes.ts';

/**
 * What crosses between the functions of one AWS deployment when one calls another directly (design: `Models`, `Sandbox`
 * and `Extract` have their own). The callee may have run hostile code or read hostile bytes: its answer is checked.
 */

/** Prefix of the values bucket below which the bytes of calls lie, for a day. */
export const callsPrefix = 'calls/';

/** Bytes: in the call itself, compressed when that helps, or in the bucket of calls under this key. */
export const carriedSchema = z.union([
  z.strictObject({ inline: z.base64() }),
  z.strictObject({ gzip: z.base64() }),
  z.strictObject({ key: z.string().startsWith(callsPrefix).max(64) }),
]);
export type Carried = z.infer<typeof carriedSchema>;

/** A call or an answer whose whole content is carried. */
export const parcelSchema = z.strictObject({ content: carriedSchema });
export type Parcel = z.infer<typeof parcelSchema>;

export const extractCallSchema = z.strictObject({ format: z.enum(mediaFormats), bytes: carriedSchema });

const json = z.custom<Json>((value) => value !== undefined);
const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
const text = z.string();

const failureSchema = z.strictObject({
  kind: z.literal('failure'),
  code: z.custom<ReasonCode>((value) => typeof value === 'string' && Object.hasOwn(reasonTexts, value)),
  retryable: z.boolean(),
  reason: text.max(1_000).exactOptional(),
  retry_after_ms: z.number().nonnegative().exactOptional(),
});
const busySchema = z.strictObject({
  kind: z.literal('busy'),
  retry_after_ms: z.number().nonnegative().exactOptional(),
});

export const extractReplySchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('output'), output: jsonObject, warnings: z.array(text), version: text }),
  failureSchema,
  busySchema,
]);

export const sandboxCallSchema = z.strictObject({
  source: text,
  entrypoint: text,
  inputs: jsonObject,
  clock: text,
  timeout_ms: z.number().positive(),
});

export const sandboxReplySchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('output'), output: json, printed: text.max(65_536), interpreter: text.max(200) }),
  failureSchema,
  busySchema,
]);

const thoughtSchema = z.strictObject({ text, provider: jsonObject.nullable() });

const partSchema = z.discriminatedUnion('kind', [
  thoughtSchema.extend({ kind: z.literal('thought') }),
  z.strictObject({ kind: z.literal('text'), text }),
  z.strictObject({ kind: z.literal('media'), media_type: text, base64: z.base64(), filename: text.exactOptional() }),
  z.strictObject({ kind: z.literal('tool_call'), id: text, tool: text, arguments: jsonObject }),
  z.strictObject({ kind: z.literal('tool_result'), id: text, tool: text, result: json }),
]);

/** A `ModelRequest` with its media as base64. */
export const modelsCallSchema = z.strictObject({
  route: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('wyrd_gateway'), deployment: text }),
    z.strictObject({ kind: z.literal('native') }),
  ]),
  provider: text,
  model: text,
  system: text.nullable(),
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant', 'tool']), parts: z.array(partSchema) })),
  settings: jsonObject,
  schema: jsonObject.nullable(),
  tools: z.array(z.strictObject({ name: text, description: text, parameters: jsonObject })),
});
export type ModelsCall = z.infer<typeof modelsCallSchema>;

export const modelsReplySchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('answer'),
    text,
    tool_calls: z.array(z.strictObject({ id: text, tool: text, arguments: jsonObject })),
    thoughts: z.array(thoughtSchema).exactOptional(),
    model_reported: text.nullable(),
    request_sha256: text,
    response_sha256: text,
  }),
  z.strictObject({ kind: z.literal('refusal') }),
  failureSchema,
  busySchema,
]);
