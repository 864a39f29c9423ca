import { z } from 'zod';
import { toMediaFormat } from '../formats.ts';
import { blockIdPattern, featurePattern, slotPattern } from '../ids.ts';
import { agentSchema } from './agent.ts';
import { normalizeSchema, operatorSchema, referenceSchema } from './comparison.ts';
import { driftFields } from './drift.ts';
import { cardTargetSchema } from './reference.ts';
import { cardLimits, descriptionSchema, jsonSchema, mapOf } from './shared.ts';

/**
 * The authored spec of a Verifier (docs/spec/verification.md §2–§4). One schema each for `wyrd/v1` and `touchstone/v1`,
 * which has the additional keys of §17; both are built once, when this module is loaded.
 */

const u32 = z.int().min(0).max(4_294_967_295);
const blockId = z.string().regex(blockIdPattern);
const formatName = z.string().refine((text) => toMediaFormat(text) !== undefined, { error: 'unknown format' });

const typedSlotSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('json'), required: z.boolean().optional(), schema: jsonSchema.optional() }),
  z.strictObject({
    type: z.literal('media'),
    required: z.boolean().optional(),
    formats: z.array(formatName).max(64),
    max_bytes: z.int().min(0).nullish(),
  }),
  z.strictObject({ type: z.literal('trace'), required: z.boolean().optional() }),
  z.strictObject({ type: z.literal('samples'), features: z.array(z.string().regex(featurePattern)).max(256) }),
]);

/** A typed slot, or the text of a source slot. */
const slotSchema = z.union([z.string().max(1024), typedSlotSchema]).meta({ id: 'Slot' });

export type AuthoredSlot = z.infer<typeof slotSchema>;

/** A Card, inline Agents included. */
const agentTarget = z.union([cardTargetSchema, agentSchema]);

const artifactFile = z.strictObject({ card: cardTargetSchema, path: z.string().max(1024).nullish() });

const codeSourceSchema = z
  .union([z.strictObject({ inline: z.string() }), z.strictObject({ artifact: artifactFile })])
  .meta({ id: 'CodeSource' });

const inputs = mapOf(z.string().max(256), referenceSchema);
const workspace = mapOf(z.string().max(1024), z.union([referenceSchema, z.strictObject({ artifact: artifactFile })]));

const comparison = { operator: operatorSchema, expected: jsonSchema.optional() };

const agentCall = {
  kind: z.literal('agent'),
  agent: agentTarget,
  inputs: inputs.optional(),
  workspace: workspace.optional(),
};

const codeCall = {
  kind: z.literal('code'),
  runtime: z.literal('python').optional(),
  source: codeSourceSchema,
  entrypoint: z.string().max(256),
  inputs: inputs.optional(),
};

/** `verdict`, or `{kind: verdict, data?}`; judged by the compiler (§5.2). */
const checkResponseFormat = z
  .union([z.string(), z.strictObject({ kind: z.string(), data: jsonSchema.optional() })])
  .optional();

const assertFields = {
  kind: z.literal('assert'),
  path: referenceSchema.nullish(),
  each: referenceSchema.nullish(),
  ...comparison,
};
const traceFields = { kind: z.literal('trace'), on: referenceSchema, span_selector: z.string(), ...comparison };
const driftCheck = z.strictObject({ kind: z.literal('drift'), on: referenceSchema, ...driftFields });

/** §17, by the block they stand on. */
const options = {
  comparison: { normalize: normalizeSchema.optional() },
  assert: { allow_empty: z.boolean().optional(), min_items: z.int().min(1).max(4_294_967_295).optional() },
  extract: { require_text: z.boolean().optional() },
  judge: { require_quote: z.boolean().optional() },
  trace: { select: z.enum(['collapse', 'list']).optional() },
  requirement: { severity: z.enum(['required', 'advisory']).optional() },
};

export type ApiVersion = 'wyrd/v1' | 'touchstone/v1';

/** The type is the wider one; under `wyrd/v1` the optional keys of §17 are unknown fields and so never there. */
function verifierSchema(api: ApiVersion) {
  const closed = <B extends z.ZodRawShape, E extends z.ZodRawShape>(base: B, extra: E) =>
    z.strictObject(api === 'touchstone/v1' ? { ...base, ...extra } : (base as B & E));
  const condition = closed({ path: referenceSchema, ...comparison }, options.comparison);
  const check = z.discriminatedUnion('kind', [
    closed(assertFields, { ...options.comparison, ...options.assert }),
    closed(traceFields, { ...options.comparison, ...options.trace }),
    closed(agentCall, options.judge),
    closed({ ...codeCall, response_format: checkResponseFormat }, options.judge),
    driftCheck,
  ]);
  const statement = z.string().max(cardLimits.textCharacters);
  const requirement = closed({ id: blockId, statement, check }, options.requirement);
  const action = z.discriminatedUnion('kind', [
    closed({ kind: z.literal('extract'), from: referenceSchema }, options.extract),
    z.strictObject(agentCall),
    z.strictObject(codeCall),
  ]);
  const step = z.strictObject({
    id: blockId,
    depends_on: z.array(blockId).max(1000).optional(),
    when: condition.nullish(),
    action,
    requirements: z.array(requirement).max(cardLimits.requirements).optional(),
    timeout_seconds: u32.nullish(),
    retries: u32.optional(),
  });
  return z.strictObject({
    description: descriptionSchema,
    inputs: mapOf(z.string().regex(slotPattern), slotSchema).optional(),
    steps: z.array(step).max(cardLimits.steps).optional(),
    requirements: z.array(requirement).max(cardLimits.requirements).optional(),
    decide: z
      .union([z.literal('all'), z.strictObject({ pass_rate: z.strictObject({ threshold: z.number() }) })])
      .optional(),
    context_capture: z.enum(['full', 'hash', 'redact']).nullish(),
    order_by: z.string().max(1024).nullish(),
  });
}

export const verifierSpecSchemas = {
  'wyrd/v1': verifierSchema('wyrd/v1'),
  'touchstone/v1': verifierSchema('touchstone/v1'),
} as const;

/** The authored spec; under `wyrd/v1` the keys of §17 are never there. */
export type VerifierSpec = z.infer<(typeof verifierSpecSchemas)['touchstone/v1']>;
export type AuthoredStep = NonNullable<VerifierSpec['steps']>[number];
export type AuthoredRequirement = NonNullable<VerifierSpec['requirements']>[number];
export type AuthoredCheck = AuthoredRequirement['check'];
export type AuthoredAction = AuthoredStep['action'];
export type AuthoredCondition = NonNullable<AuthoredStep['when']>;
