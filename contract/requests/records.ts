import { z } from 'zod';
import { jsonObjectSchema } from '../cards/shared.ts';
import { checkSteps, type RecordReport } from '../record.ts';
import { type DefectCode, defectTexts } from '../record-defects.ts';

/** A JSON text as it was received, so that a check sees every byte of it; or the value itself. */
const document = z.union([z.string(), jsonObjectSchema]);

/** Body of `POST /v1/records/verify`: a record and whatever is held beside it (docs/spec/records.md §4). */
export const verifyRecordRequestSchema = z
  .strictObject({
    record: document,
    /** Absent: the keys of the service that is asked. */
    keys: jsonObjectSchema.optional(),
    result: document.optional(),
    cards: z.array(document).max(1_000).optional(),
    evidence: z
      .array(z.strictObject({ name: z.string().max(1_024), base64: z.base64() }))
      .max(1_000)
      .optional(),
    checkpoint: document.optional(),
  })
  .meta({ id: 'VerifyRecordRequest' });

export type VerifyRecordRequest = z.infer<typeof verifyRecordRequestSchema>;

const code = z.enum(Object.keys(defectTexts) as [DefectCode, ...DefectCode[]]);
const severity = z.enum(['invalid', 'undecidable']);
const stepState = z.enum(['valid', 'invalid', 'undecidable', 'not_checked']);

export const recordReportSchema: z.ZodType<RecordReport> = z
  .strictObject({
    result: z.enum(['valid', 'invalid', 'undecidable']),
    steps: z.record(z.enum(checkSteps), stepState),
    defects: z.array(z.strictObject({ code, severity, step: z.enum(checkSteps), at: z.string() })),
  })
  .meta({ id: 'RecordReport' });
