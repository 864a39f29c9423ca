import { z } from 'zod';
import { bindingsSchema } from './binding.ts';
import { cardTargetSchema } from './reference.ts';
import { descriptionSchema, jsonObjectSchema, jsonSchema } from './shared.ts';

const componentSchema = z
  .strictObject({
    alias: z.string().min(1).max(128),
    ref: cardTargetSchema,
    verified_by: bindingsSchema.optional(),
    /** Members of the published contract that verification does not look at. */
    description: descriptionSchema,
    source: jsonSchema.optional(),
    config: jsonSchema.optional(),
    runtime_hooks: jsonSchema.optional(),
  })
  .meta({ id: 'Component' });

/**
 * A Service: what it consists of and what is verified about it (docs/spec/background.md §3). Closed, because a misspelt
 * `verified_by` would silently verify nothing; members of the published contract that mean nothing here are kept.
 */
export const serviceSchema = z
  .strictObject({
    description: descriptionSchema,
    service_type: z.string().min(1).max(64).optional(),
    verified_by: bindingsSchema.optional(),
    components: z.array(componentSchema).max(200).optional(),
    tables: z
      .array(z.strictObject({ name: z.string().min(1).max(128), schema: jsonObjectSchema }))
      .max(200)
      .optional(),
    runtime: jsonSchema.optional(),
    runtime_hooks: jsonSchema.optional(),
    service_config: jsonSchema.optional(),
    entry_point: jsonSchema.optional(),
    credential_refs: jsonSchema.optional(),
    framework: jsonSchema.optional(),
    policy: jsonSchema.optional(),
    content_hash: jsonSchema.optional(),
    lock_hash: jsonSchema.optional(),
  })
  .meta({ id: 'Service' });

export type Service = z.infer<typeof serviceSchema>;
