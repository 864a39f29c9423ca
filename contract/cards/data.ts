import { z } from 'zod';
import { descriptionSchema } from './shared.ts';

/** A data set. Open: only its interface is looked at, the rest describes the data for others. */
export const dataSchema = z
  .looseObject({
    description: descriptionSchema,
    interface: z.looseObject({ kind: z.string().min(1).max(64) }).nullish(),
  })
  .meta({ id: 'Data' });
