import { z } from 'zod';
import { uuidV7Pattern } from '../ids.ts';

const text = z.string().min(1).max(256);

/** Numbers are drift's doubles; a truth value counts as its word (docs/spec/wire.md §9.3). */
const featureValue = z.union([z.number(), z.string().max(1_024), z.boolean(), z.null()]);

/** One observation: what was measured of one run of a subject (docs/spec/wire.md §9.5). */
export const observationRecordSchema = z
  .strictObject({
    record_id: text,
    subject_card_uid: z.string().regex(uuidV7Pattern),
    run_id: text.nullish(),
    created_at: z.iso.datetime({ offset: true }),
    features: z.record(z.string().min(1).max(256), featureValue).refine(
      (features) => {
        const count = Object.keys(features).length;
        return count > 0 && count <= 256;
      },
      { error: 'between 1 and 256 features' },
    ),
  })
  .meta({ id: 'ObservationRecord' });

/** A batch; its records are checked one by one, so that a refusal names each that is bad. */
export const observationBatchSchema = z
  .strictObject({
    batch_id: z.string().regex(uuidV7Pattern),
    records: z.array(z.unknown()).min(1).max(1_000).meta({ description: 'Each an ObservationRecord.' }),
  })
  .meta({ id: 'ObservationBatch' });

export type ObservationBatchRequest = z.infer<typeof observationBatchSchema>;

/** The batch is durable. `ingested_at`: its one time of ingest, which decides its windows. */
export const observationsAcceptedSchema = z
  .strictObject({
    batch_id: z.string(),
    accepted: z.number().int(),
    ingested_at: z.iso.datetime(),
  })
  .meta({ id: 'ObservationsAccepted' });

export type ObservationsAccepted = z.infer<typeof observationsAcceptedSchema>;
