import { z } from 'zod';
import { descriptionSchema } from './shared.ts';

/** Interfaces whose saved file is a Parquet table, so that it can be a drift baseline (docs/spec/background.md §6.5). */
const parquetInterfaces = ['Parquet', 'Pandas', 'Polars', 'Arrow'] as const;

/** A data set. Open: only its interface is looked at, the rest describes the data for others. */
export const dataSchema = z
  .looseObject({
    description: descriptionSchema,
    interface: z.looseObject({ kind: z.string().min(1).max(64) }).nullish(),
  })
  .meta({ id: 'Data' });

type Data = z.infer<typeof dataSchema>;

/** The Data Card's saved table can be read as a baseline; one without an interface is taken to be Parquet. */
export function isParquet(data: Data): boolean {
  const kind = data.interface?.kind;
  return kind === undefined || (parquetInterfaces as readonly string[]).includes(kind);
}
