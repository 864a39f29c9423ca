import { z } from 'zod';
import type { OperatorName } from '../operators.ts';
import { jsonSchema } from './shared.ts';

const number = z.number();
/** A non-negative whole number; `1.0` is 1. */
const length = z.int().min(0);

/** Parameters of the parameterised operators (docs/spec/verification.md §7.2); every other operator is a bare word. */
export const operatorParameters = {
  in_range: { min: number, max: number, inclusive: z.boolean() },
  not_in_range: { min: number, max: number, inclusive: z.boolean() },
  approximately_equals: { tolerance: number },
  matches_regex: { pattern: z.string() },
  not_matches_regex: { pattern: z.string() },
  has_min_length: { min: length },
  has_max_length: { max: length },
  length: { expected: length },
  length_greater_than: { min: length },
  length_less_than: { max: length },
  is_type: { expected: z.enum(['null', 'bool', 'number', 'string', 'array', 'object']) },
  within_abs_tolerance: { tolerance: number },
  within_pct_tolerance: { pct: number },
  within_std_dev: { sigma: number, mean: number, std_dev: number },
  between_percentiles: { lower_pct: number, upper_pct: number },
  divergence_less_than: { metric: z.enum(['kl', 'js', 'wasserstein']), threshold: number },
  cosine_similarity_at_least: { threshold: number },
} as const satisfies Partial<Record<OperatorName, Readonly<Record<string, z.ZodType>>>>;

/** A reference (docs/spec/verification.md §6); its grammar is judged by the compiler. */
export const referenceSchema = z.string().max(1024).meta({ id: 'Reference' });

/**
 * The wire form of an operator: kept as it is and decoded by the engine. Editors get the full form from the generated
 * JSON Schema (scripts/generate.ts), which is built from `operatorParameters`.
 */
export const operatorSchema = jsonSchema.meta({ id: 'Operator' });

/** docs/spec/verification.md §17; only under `touchstone/v1`. */
export const normalizeSchema = z.enum(['none', 'nfkc', 'visible']);

export type Normalize = z.infer<typeof normalizeSchema>;
