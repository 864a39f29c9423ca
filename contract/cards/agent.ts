import { z } from 'zod';
import { bindingsSchema } from './binding.ts';
import { promptSchema } from './prompt.ts';
import { cardTargetSchema } from './reference.ts';
import { descriptionSchema } from './shared.ts';

/** How a call reaches its model (docs/spec/verification.md §4.4). */
export const routeSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('wyrd_gateway'), deployment: z.string().min(1).max(256) }),
    z.strictObject({ kind: z.literal('native') }),
  ])
  .meta({ id: 'Route' });

export type Route = z.infer<typeof routeSchema>;

const positive = z.int().min(1).max(4_294_967_295);

/** Open: unknown keys are ignored [contract]. Defaults: 10 iterations, 8 tools at a time, no other bound. */
const runConfigSchema = z
  .object({
    max_iterations: positive.optional(),
    tool_concurrency_cap: positive.optional(),
    session_recent_limit: z.int().min(0).max(4_294_967_295).optional(),
    timeout_ms: positive.optional(),
  })
  .catchall(z.unknown())
  .meta({ id: 'RunConfig' });

/** The members of `run_config` that mean something here. */
export interface RunConfig {
  readonly max_iterations?: number | undefined;
  readonly tool_concurrency_cap?: number | undefined;
  readonly session_recent_limit?: number | undefined;
  readonly timeout_ms?: number | undefined;
}

/** The ten built-in tools, exact names (docs/spec/verification.md §4.4). */
export const builtInTools = [
  'cards.list',
  'cards.get',
  'bifrost.list_tables',
  'bifrost.describe_table',
  'bifrost.query',
  'fs.list',
  'fs.read',
  'fs.search',
  'fs.extract',
  'code.run',
] as const;

export const agentSchema = z
  .strictObject({
    description: descriptionSchema,
    prompt: z.union([cardTargetSchema, promptSchema]),
    execution_route: routeSchema,
    tool_names: z.array(z.string().max(128)).max(64).optional(),
    run_config: runConfigSchema.optional(),
    verified_by: bindingsSchema.optional(),
  })
  .meta({ id: 'Agent' });

export type Agent = z.infer<typeof agentSchema>;
