import { z } from 'zod';
import { envelopeSchema } from '../record.ts';
import { pageOf, pageQuery } from './page.ts';

export const checkpointsQuerySchema = z.strictObject({ ...pageQuery });

/** One checkpoint; `digest` is what the next one names as `previous` (docs/spec/records.md §2). */
export const shownCheckpointSchema = z
  .strictObject({
    size: z.int().min(0),
    closed_at: z.iso.datetime(),
    digest: z.string(),
    checkpoint: envelopeSchema,
  })
  .meta({ id: 'Checkpoint' });

export const checkpointsPageSchema = pageOf(shownCheckpointSchema);

/** A number of leaves as it stands in a path or a query. */
export const sizeText = z.string().regex(/^(?:0|[1-9]\d{0,14})$/);

export const consistencyQuerySchema = z.strictObject({ from: sizeText, to: sizeText });
