import { z } from 'zod';
import { cardRefSchema } from './cards/reference.ts';
import type { DefectCode } from './record-defects.ts';

/** What records are made of (docs/spec/records.md). Every schema is closed; unknown versions are undecidable, not invalid. */

export const payloadTypes = {
  statement: 'application/vnd.in-toto+json',
  delegation: 'application/vnd.touchstone.delegation+json',
  checkpoint: 'application/vnd.touchstone.checkpoint+json',
} as const;

export const statementType = 'https://in-toto.io/Statement/v1';
export const predicateType = 'https://touchstone.dev/verification/v1';

const base64 = z.string().regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);
const digestSchema = z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/) });
const time = z.iso.datetime({ offset: false });

/** `<alg>:<first 16 hex of the SHA-256 of the public key's SPKI DER>`; alg is `ed25519` or `es256`. */
const keyIdSchema = z.string().regex(/^(?:ed25519|es256):[0-9a-f]{16}$/);

const signatureSchema = z.strictObject({ keyid: keyIdSchema, sig: base64 });

/** A DSSE envelope, version 1.0.2 of its specification. Signatures are over the pre-authentication encoding. */
export const envelopeSchema = z.strictObject({
  payloadType: z.string().min(1).max(256),
  payload: base64,
  signatures: z.array(signatureSchema).min(1).max(16),
});

export type Envelope = z.infer<typeof envelopeSchema>;

/** A record as stored and exported: the envelope, and the delegation of its signing key where a root did not sign it. */
export const recordSchema = z.strictObject({ envelope: envelopeSchema, delegation: envelopeSchema.optional() });

export type SignedRecord = z.infer<typeof recordSchema>;

const okpKey = z.strictObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
});
const ecKey = z.strictObject({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  y: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
});

/** A bare public key as a JWK. */
export const publicKeySchema = z.discriminatedUnion('kty', [okpKey, ecKey]);

export type PublicKey = z.infer<typeof publicKeySchema>;

/** What a root says of an hourly key: payload of a delegation envelope. Valid for at most one hour. */
export const delegationSchema = z.strictObject({
  version: z.literal(1),
  key: okpKey,
  tenant_scope: z.string().min(1).max(64),
  purpose: z.literal('records'),
  valid_from: time,
  valid_until: time,
});

export type Delegation = z.infer<typeof delegationSchema>;

const cardDigest = z.strictObject({ ...cardRefSchema.shape, digest: digestSchema });
const id = z.string().min(1).max(128);

/** Predicate of a verification record: digests, ids, outcomes and codes; no evidence, reason text, prompt or secret. */
export const verificationPredicateSchema = z.strictObject({
  execution_id: z.string(),
  tenant: z.string(),
  verdict: z.enum(['passed', 'failed', 'inconclusive']),
  started_at: time,
  ended_at: time,
  verifier: cardDigest,
  subject: cardDigest,
  requirements: z
    .array(
      z.strictObject({
        id,
        outcome: z.enum(['passed', 'failed', 'inconclusive', 'not_applicable']),
        reason_code: z.string(),
        judged_by: z.string(),
      }),
    )
    .max(500),
  judges: z.array(
    z.strictObject({
      id,
      agent: z.string().optional(),
      prompt_digest: digestSchema,
      route: z.string(),
      model_reported: z.string().nullable(),
      request_digest: digestSchema.nullable(),
      response_digest: digestSchema.nullable(),
    }),
  ),
  code: z.array(
    z.strictObject({ id, sha256: z.string(), runtime: z.literal('python'), interpreter: z.string().nullable() }),
  ),
  extractions: z.array(z.strictObject({ id, version: z.string(), output_digest: digestSchema })),
  drift: z.array(
    z.strictObject({
      id,
      baseline_digest: digestSchema.nullable(),
      window: z.strictObject({ start: time, end: time }),
      rows_digest: digestSchema,
      count: z.int().min(0),
    }),
  ),
  group: z.null(),
  engine: z.strictObject({ name: z.string(), version: z.string(), operators: z.string() }),
});

export type VerificationPredicate = z.infer<typeof verificationPredicateSchema>;

export const statementSchema = z.strictObject({
  _type: z.literal(statementType),
  subject: z
    .array(z.strictObject({ name: z.string().min(1).max(512), digest: digestSchema }))
    .min(1)
    .max(4096),
  predicateType: z.literal(predicateType),
  predicate: verificationPredicateSchema,
});

export type Statement = z.infer<typeof statementSchema>;

/** Payload of a checkpoint envelope (docs/spec/records.md §2). `root` and `previous` are lower hex; the first has no previous. */
export const checkpointSchema = z.strictObject({
  version: z.literal(1),
  tenant: z.string(),
  size: z.int().min(0),
  root: z.string().regex(/^[0-9a-f]{64}$/),
  previous: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  first_index: z.int().min(0),
  opened_at: time,
  closed_at: time,
});

export type Checkpoint = z.infer<typeof checkpointSchema>;

/** Where a record stands in a checkpoint's tree; `path` in lower hex, leaf upwards. */
export const inclusionSchema = z.strictObject({
  index: z.int().min(0),
  size: z.int().min(1),
  path: z.array(z.string().regex(/^[0-9a-f]{64}$/)).max(64),
  checkpoint: envelopeSchema,
});

export type Inclusion = z.infer<typeof inclusionSchema>;

/** What `GET /v1/records/{execution_id}` answers. `keys` are a courtesy: a checker takes roots from elsewhere. */
export const exportedRecordSchema = z.strictObject({
  record: recordSchema,
  inclusion: inclusionSchema.optional(),
  keys: z.unknown().optional(),
});

/** Two checkpoints of one tenant and the nodes that lead from the earlier to the later (RFC 9162 §2.1.4). */
export const consistencySchema = z.strictObject({
  from: envelopeSchema,
  to: envelopeSchema,
  path: z.array(z.string().regex(/^[0-9a-f]{64}$/)).max(128),
});

export type Consistency = z.infer<typeof consistencySchema>;

const published = { kid: keyIdSchema, alg: z.enum(['EdDSA', 'ES256']), valid_from: time, valid_until: time.optional() };

/** `/.well-known/touchstone/keys.json`: root keys only, never removed (docs/spec/records.md §3). */
export const keySetSchema = z.strictObject({
  keys: z.array(z.discriminatedUnion('kty', [okpKey.extend(published), ecKey.extend(published)])).max(1000),
});

export type KeySet = z.infer<typeof keySetSchema>;

/** The six parts of a check, in order (docs/spec/records.md §4). */
export const checkSteps = ['form', 'signature', 'digests', 'logic', 'replay', 'inclusion'] as const;

export type CheckStep = (typeof checkSteps)[number];

/** One thing that is wrong, or cannot be told. `at` is a JSON Pointer or the name of a part. */
export interface Defect {
  readonly code: DefectCode;
  readonly severity: 'invalid' | 'undecidable';
  readonly step: CheckStep;
  readonly at: string;
}

export interface RecordReport {
  /** `invalid` when anything is, else `undecidable` when anything that was asked for cannot be told. */
  readonly result: 'valid' | 'invalid' | 'undecidable';
  /** `not_checked`: what the step needs was not given. */
  readonly steps: Readonly<Record<CheckStep, 'valid' | 'invalid' | 'undecidable' | 'not_checked'>>;
  readonly defects: readonly Defect[];
}
