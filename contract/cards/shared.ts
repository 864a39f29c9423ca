import { z } from 'zod';
import type { Json, JsonObject } from '../json.ts';

/** Limits of one Card (docs/spec/verification.md §1.6, §2, §16). */
export const cardLimits = {
  specBytes: 262_144,
  depth: 128,
  slots: 64,
  steps: 100,
  requirements: 500,
  callInputs: 32,
  workspaceEntries: 32,
  textCharacters: 4096,
  inlineCodeBytes: 65_536,
  /** Findings of one answer; a Card with more is answered with the first of them. */
  findings: 1000,
} as const;

/** Any JSON value, kept as it is: nothing below it is looked at, copied or counted. */
export const jsonSchema = z.unknown() as z.ZodType<Json>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON object kept as it is. */
export const jsonObjectSchema = z
  .custom<JsonObject>(isJsonObject, { error: 'expected a JSON object' })
  .meta({ type: 'object' });

export const descriptionSchema = z.string().max(cardLimits.textCharacters).nullish();

/**
 * A closed map whose names come from an author. A member `__proto__` is refused: it cannot be told from the prototype
 * of an object, and every reader would have to know that.
 */
export function mapOf<T extends z.ZodType>(names: z.ZodString, values: T) {
  const named = z.unknown().superRefine((value, context) => {
    if (isJsonObject(value) && Object.hasOwn(value, '__proto__')) {
      context.addIssue({ code: 'custom', path: ['__proto__'], message: 'the name __proto__ is not available' });
    }
  });
  return named.pipe(z.record(names, values));
}
