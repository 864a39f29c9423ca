import { z } from 'zod';
import { cardNamePattern } from '../ids.ts';
import { manifestEntrySchema } from './artifact.ts';
import { cardKinds } from './kinds.ts';
import { jsonObjectSchema, mapOf } from './shared.ts';

/** Which contract a declaration is written for (docs/spec/wire.md, dialect table). */
export type Dialect = 'flat' | 'spaced';

const labels = mapOf(z.string().min(1).max(128), z.string().max(1024));

const metadata = {
  name: z.string().regex(cardNamePattern),
  version: z.string().min(1).max(128).nullish(),
  bump: z.enum(['major', 'minor', 'patch']).nullish(),
  uid: z.string().max(64).nullish(),
  spec_hash: z.string().max(128).nullish(),
  artifact_hash: z.string().max(128).nullish(),
  labels: labels.nullish(),
  annotations: labels.nullish(),
};

function envelope<T extends z.ZodType>(fields: T) {
  return z.strictObject({
    apiVersion: z.enum(['wyrd/v1', 'touchstone/v1']),
    kind: z.enum(cardKinds),
    metadata: fields,
    spec: jsonObjectSchema,
    artifacts: z.array(manifestEntrySchema).max(10_000).optional(),
  });
}

/** One submission: the Card as authored. In `flat` a `metadata.space` is an unknown field. */
export const envelopeSchemas = {
  flat: envelope(z.strictObject(metadata)),
  spaced: envelope(z.strictObject({ ...metadata, space: z.string().regex(cardNamePattern).nullish() })),
} as const;

export type Envelope = z.infer<(typeof envelopeSchemas)['spaced']>;
