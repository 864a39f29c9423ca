import { z } from 'zod';
import { jsonSchema } from './shared.ts';

/** A reference (docs/spec/verification.md §6); its grammar is judged by the compiler. */
export const referenceSchema = z.string().max(1024).meta({ id: 'Reference' });

/**
 * The wire form of an operator: kept as it is and decoded by the engine. Editors get the full form from the generated
 * JSON Schema (scripts/generate.ts), which is built from the engine's table of operators.
 */
export const operatorSchema = jsonSchema.meta({ id: 'Operator' });

/** docs/spec/verification.md §17; only under `touchstone/v1`. */
export const normalizeSchema = z.enum(['none', 'nfkc', 'visible']);

export type Normalize = z.infer<typeof normalizeSchema>;
