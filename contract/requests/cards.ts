import { z } from 'zod';
import { manifestEntrySchema } from '../cards/artifact.ts';
import { cardKinds } from '../cards/kinds.ts';
import { cardRefSchema } from '../cards/reference.ts';
import { jsonObjectSchema } from '../cards/shared.ts';
import { cardNamePattern, uuidV7Pattern } from '../ids.ts';
import { pageOf, pageQuery } from './page.ts';
import { uploadPlanSchema } from './uploads.ts';

const name = z.string().regex(cardNamePattern);
const uid = z.string().regex(uuidV7Pattern);

/** Body of `POST /v1/cards`: Cards in their envelopes, which the declaration itself judges (docs/spec/wire.md §4.1, §4.9). */
export const declareRequestSchema = z
  .strictObject({ submissions: z.array(jsonObjectSchema).min(1).max(500) })
  .meta({ id: 'DeclareRequest' });

const cardStatusSchema = z.enum(['pending', 'active', 'deprecated', 'failed', 'expired', 'deleted']);

const declarationOutcomeSchema = z.strictObject({
  card_ref: cardRefSchema,
  spec_hash: z.string(),
  artifact_hash: z.string().nullable(),
  status: cardStatusSchema,
  outcome: z.enum(['declared', 'deduplicated', 'idempotent_noop']),
  card_blob_uri: z.null(),
});

/** The answer of a declaration; closed: an extra member breaks the published client. */
export const declarationSchema = z
  .strictObject({
    root: cardRefSchema,
    outcomes: z.array(declarationOutcomeSchema),
    upload_plans: z.array(
      z.strictObject({
        card_ref: cardRefSchema,
        entries: z.array(z.strictObject({ relative_path: z.string(), upload_id: z.string(), plan: uploadPlanSchema })),
      }),
    ),
  })
  .meta({ id: 'Declaration' });

export type DeclarationAnswer = z.infer<typeof declarationSchema>;

/** docs/spec/wire.md §4.6. */
export const cardAnswerSchema = z
  .looseObject({
    card: z.looseObject({
      apiVersion: z.string(),
      kind: z.enum(cardKinds),
      metadata: z.looseObject({ name, version: z.string(), uid, spec_hash: z.string() }),
      spec: jsonObjectSchema,
      relationships: jsonObjectSchema,
      status: jsonObjectSchema,
    }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'CardAnswer' });

/** A Card by name; with `space` in the spaced dialect. */
export const byRefQuerySchema = z.strictObject({
  kind: z.enum(cardKinds),
  name,
  version: z.string().max(128).optional(),
  space: name.optional(),
});

export const cardsQuerySchema = z.strictObject({
  kind: z.enum(cardKinds).optional(),
  space: name.optional(),
  name: name.optional(),
  version_range: z.string().max(256).optional(),
  status: cardStatusSchema.optional(),
  filter: z.string().max(256).optional(),
  include_prerelease: z.enum(['true', 'false']).optional(),
  ...pageQuery,
});

export const cardsPageSchema = pageOf(
  z.strictObject({
    card_uid: uid,
    kind: z.enum(cardKinds),
    space: name.optional(),
    name,
    version: z.string(),
    spec_hash: z.string(),
    artifact_hash: z.string().nullable(),
    status: cardStatusSchema,
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  }),
);

export const artifactsSchema = z.strictObject({ artifacts: z.array(manifestEntrySchema) });

export const downloadRequestSchema = z.strictObject({
  card_uid: uid,
  relative_path: z.string().max(1024),
  ttl_secs: z.int().min(1).max(604_800).nullish(),
});

export const downloadPlanSchema = z.strictObject({
  plan: z.strictObject({ get_url: z.string(), ttl_secs: z.int() }),
  size_bytes: z.int(),
  sha256: z.string(),
});

export const downloadQuerySchema = z.strictObject({ card_uid: uid, relative_path: z.string().max(1024) });

export const deletedSchema = z.strictObject({ card_uid: uid, deleted: z.boolean() });
