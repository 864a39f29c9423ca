import { z } from 'zod';
import { cardRefSchema } from '#contract/cards/reference.ts';
import type { PinnedInput } from '#contract/evidence.ts';
import { mediaFormats } from '#contract/formats.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { type ReasonCode, reasonTexts } from '#contract/reason-codes.ts';
import { isObject, memberOf } from '../values/kind.ts';
import type { Ledger } from './ledger.ts';
import { decodeAs, type Place, readJsonText } from './read-text.ts';
import { resultDigest } from './statement.ts';

/** 16 MiB of outcome (docs/spec/verification.md §16.3) and what stands around it. */
const maxResultLength = 20 * 1024 * 1024;
/** Values of 128 levels inside `outcome.evidence.<slot>.value`. */
const maxDepth = 136;

const reasonCode = z.custom<ReasonCode>((code) => typeof code === 'string' && Object.hasOwn(reasonTexts, code));
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const media = { sha256, size_bytes: z.int().min(0), format: z.enum(mediaFormats) };
/** JSON it is already: it came out of the parser. */
const json = z.custom<Json>((value) => value !== undefined);
const jsonObject = z.custom<JsonObject>((value) => isObject(value as Json));

const pinnedSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('json'), value: json }),
  z.strictObject({ kind: z.literal('file'), ...media, filename: z.string().optional() }),
  z.strictObject({ kind: z.literal('artifact'), artifact: cardRefSchema, path: z.string(), ...media }),
  z.strictObject({ kind: z.literal('trace'), trace_id: z.string() }),
]);

const requirementSchema = z.looseObject({
  id: z.string(),
  outcome: z.enum(['passed', 'failed', 'inconclusive', 'not_applicable']),
  reason: z.string(),
  reason_code: reasonCode,
  citations: z.array(json).optional(),
  data: json.optional(),
  check: jsonObject,
  provenance: jsonObject.optional(),
});

const stepSchema = z.looseObject({
  id: z.string(),
  status: z.enum(['succeeded', 'failed', 'skipped']),
  attempts: z.int().min(0).max(6),
  duration_ms: z.number(),
  output: json.optional(),
  reason: z.string().optional(),
  reason_code: reasonCode.optional(),
  attempt_log: z.array(z.string()).max(6).optional(),
});

const resultSchema = z.looseObject({
  execution_id: z.string(),
  verifier: cardRefSchema,
  subject: cardRefSchema,
  engine: z.strictObject({ name: z.string(), version: z.string() }),
  outcome: z.strictObject({
    verdict: z.enum(['passed', 'failed', 'inconclusive']),
    requirements: z.array(requirementSchema).max(500),
    steps: z.array(stepSchema).max(100),
    // Not as a record of zod: a slot may be called `__proto__`.
    evidence: jsonObject,
  }),
});

/** A result document as an auditor holds it: what a check reads of it, checked; the rest is covered by its digest. */
export interface ReadResult extends z.infer<typeof resultSchema> {
  readonly sha256: string;
}

export type RecordedRequirement = z.infer<typeof requirementSchema>;
export type RecordedStep = z.infer<typeof stepSchema>;

/** A result, or the state of an execution that holds one. Null with what is wrong reported. */
export function readResult(text: string, ledger: Ledger): ReadResult | null {
  const place: Place = { ledger, step: 'digests', at: 'result' };
  const value = readJsonText(text, maxResultLength, { maxDepth, integers: 'any' }, place);
  if (value === undefined) return null;
  const held = isObject(value) ? memberOf(value, 'result') : undefined;
  const document = held ?? value;
  const result = decodeAs(resultSchema, document, place);
  return result === undefined || !isObject(document) ? null : { ...result, sha256: resultDigest(document) };
}

/** The pinned declaration of a slot, or null when it is none. */
export function pinnedOf(evidence: Json): PinnedInput | null {
  const parsed = pinnedSchema.safeParse(evidence);
  if (!parsed.success) return null;
  const { data } = parsed;
  if (data.kind !== 'file') return data;
  const { filename, ...file } = data;
  return filename === undefined ? file : { ...file, filename };
}

/** What `hash` capture leaves of a JSON input (docs/spec/verification.md §12). */
export function hashedValue(value: Json): string | null {
  if (!isObject(value) || Object.keys(value).length !== 1) return null;
  const digest = memberOf(value, 'sha256');
  return typeof digest === 'string' ? digest : null;
}
