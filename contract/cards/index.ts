import { z } from 'zod';
import { agentSchema } from './agent.ts';
import { artifactSchema } from './artifact.ts';
import { dataSchema } from './data.ts';
import { envelopeSchemas } from './envelope.ts';
import type { JudgedKind } from './kinds.ts';
import { operatorSpecSchema } from './operator.ts';
import { promptSchema } from './prompt.ts';
import { serviceSchema } from './service.ts';
import { triggerSchema } from './trigger.ts';
import { verifierSpecSchemas } from './verifier.ts';

export { type JudgedKind, judgedKinds } from './kinds.ts';

/** The spec schema of each judged kind; of a Verifier the one of `wyrd/v1`. */
export const specSchemas = {
  Verifier: verifierSpecSchemas['wyrd/v1'],
  Agent: agentSchema,
  Prompt: promptSchema,
  Service: serviceSchema,
  Trigger: triggerSchema,
  Operator: operatorSpecSchema,
  Data: dataSchema,
  Artifact: artifactSchema,
} as const satisfies Readonly<Record<JudgedKind, z.ZodType>>;

/** A whole Card file of a judged kind, for editors: envelope and spec together. */
export function cardFileSchema(kind: JudgedKind): z.ZodType {
  const { shape } = envelopeSchemas.spaced;
  const card = (apiVersion: z.ZodType, spec: z.ZodType) =>
    z.strictObject({ ...shape, apiVersion, kind: z.literal(kind), spec });
  if (kind !== 'Verifier') return card(z.literal('wyrd/v1'), specSchemas[kind]);
  return z.union([
    card(z.literal('wyrd/v1'), verifierSpecSchemas['wyrd/v1']),
    card(z.literal('touchstone/v1'), verifierSpecSchemas['touchstone/v1']),
  ]);
}
