import { z } from 'zod';
import { operatorSpecSchema } from './operator.ts';
import { cardTargetSchema } from './reference.ts';
import { triggerSchema } from './trigger.ts';

const operators = z.array(z.union([cardTargetSchema, operatorSpecSchema])).max(32);

/** One entry of a `verified_by` list (docs/spec/background.md §3.1). */
const bindingSchema = z
  .strictObject({
    verifier: cardTargetSchema,
    runs_on: z.union([cardTargetSchema, triggerSchema]).optional(),
    on_failure: operators.optional(),
    on_verdict_change: operators.optional(),
  })
  .meta({ id: 'Binding' });

export type Binding = z.infer<typeof bindingSchema>;

export const bindingsSchema = z.array(bindingSchema).max(100);
