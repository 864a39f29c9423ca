import { z } from 'zod';
import { cardRefSchema, cardTargetSchema } from './reference.ts';
import { descriptionSchema } from './shared.ts';

const positiveInteger = z.int().min(0).max(4_294_967_295);

const psiProfileSchema = z.strictObject({
  kind: z.literal('Psi'),
  binning_strategy: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('EqualWidth'), n_bins: positiveInteger }),
    z.strictObject({ kind: z.literal('Quantile'), n_bins: positiveInteger }),
  ]),
  categorical_features: z.array(z.string()).max(256).optional(),
  threshold: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('ChiSquare'), alpha: z.number() }),
    z.strictObject({ kind: z.literal('Normal'), alpha: z.number() }),
    z.strictObject({ kind: z.literal('Fixed'), value: z.number() }),
  ]),
});

const spcProfileSchema = z.strictObject({ kind: z.literal('Spc'), sample_size: positiveInteger });

const customProfileSchema = z.strictObject({
  kind: z.literal('Custom'),
  metric_name: z.string(),
  baseline_value: z.number(),
  alert_threshold: z.number(),
});

const features = z.array(z.string()).max(256);

/** The drift fields of a check as authored (docs/spec/background.md §6.2). What fits together is judged by the compiler. */
export const driftFields = {
  description: descriptionSchema,
  method: z.enum(['Psi', 'Spc', 'Custom']),
  signal: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('Distribution'), baseline_ref: cardTargetSchema, features }),
    z.strictObject({ kind: z.literal('Metric'), name: z.string() }),
  ]),
  /** Open, because a condition of another kind is refused as a drift rule, not as a shape. */
  condition: z.looseObject({ kind: z.string() }).meta({ properties: { kind: { const: 'Statistical' } } }),
  profile: z.discriminatedUnion('kind', [psiProfileSchema, spcProfileSchema, customProfileSchema]).optional(),
};

const distribution = z.strictObject({
  kind: z.literal('Distribution'),
  /** The Data Card of the baseline, resolved. */
  baseline_ref: cardRefSchema,
  features,
});

/** A drift check as compiled: method, signal and profile fit together. */
const driftSpecSchema = z.discriminatedUnion('method', [
  z.strictObject({ method: z.literal('Psi'), signal: distribution, profile: psiProfileSchema }),
  z.strictObject({ method: z.literal('Spc'), signal: distribution, profile: spcProfileSchema }),
  z.strictObject({
    method: z.literal('Custom'),
    signal: z.strictObject({ kind: z.literal('Metric'), name: z.string() }),
    profile: customProfileSchema,
  }),
]);

export type DriftSpec = z.infer<typeof driftSpecSchema>;
