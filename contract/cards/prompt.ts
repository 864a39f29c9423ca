import { z } from 'zod';
import { jsonObjectSchema, jsonSchema } from './shared.ts';

const identifier = '[A-Za-z_][A-Za-z0-9_]*';

/** Names of prompt placeholders and of code entrypoints (docs/spec/verification.md §4.4, §4.5). */
export const identifierPattern = new RegExp(`^${identifier}$`);
/** A media block's whole source. */
const mediaSourcePattern = new RegExp(`^\\$\\{media:${identifier}\\}$`);

const mediaSource = z.string().regex(mediaSourcePattern, { error: 'expected one media placeholder and nothing else' });

const contentBlockSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('image'), source: mediaSource }),
  z.strictObject({ type: z.literal('document'), source: mediaSource }),
]);

const promptMessageSchema = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string(), z.array(contentBlockSchema)]),
});

const count = z.int().min(1).max(4_294_967_295);

const promptSettingsSchema = z.strictObject({
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  max_output_tokens: count.optional(),
  top_k: count.optional(),
  stop_sequences: z.array(z.string()).max(64).optional(),
  seed: z.int().optional(),
  presence_penalty: z.number().optional(),
  frequency_penalty: z.number().optional(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
});

/**
 * What an answer must be: the word `verdict`, `{kind: verdict, data?}`, or a JSON Schema object
 * (docs/spec/verification.md §5.2). Which of them is well formed is judged by the compiler, which has the meta-schema.
 */
const responseFormatSchema = jsonSchema.meta({
  anyOf: [
    { const: 'verdict' },
    {
      type: 'object',
      properties: { kind: { const: 'verdict' }, data: { type: ['object', 'null'] } },
      required: ['kind'],
      additionalProperties: false,
    },
    { type: 'object', required: ['type'] },
    { type: 'null' },
  ],
});

const provider = z.string().min(1).max(64);
const model = z.string().min(1).max(256);

const structuredPromptSchema = z
  .strictObject({
    provider,
    model,
    system: z.string().nullish(),
    messages: z.array(promptMessageSchema).max(256),
    settings: promptSettingsSchema.nullish(),
    response_format: responseFormatSchema.optional(),
  })
  .meta({ id: 'StructuredPrompt' });

export type StructuredPrompt = z.infer<typeof structuredPromptSchema>;

/** The provider's own request body; placeholders stand in its texts. */
const nativePromptSchema = z
  .strictObject({
    provider,
    model,
    format: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
    body: jsonObjectSchema,
  })
  .meta({ id: 'NativePrompt' });

export type NativePrompt = z.infer<typeof nativePromptSchema>;

/** docs/spec/verification.md §4.4. */
export const promptSchema = z.union([structuredPromptSchema, nativePromptSchema]);

export type Prompt = z.infer<typeof promptSchema>;

export function isNativePrompt(prompt: Prompt): prompt is NativePrompt {
  return 'body' in prompt;
}
