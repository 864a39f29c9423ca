import { z } from 'zod';
import { descriptionSchema } from './shared.ts';

/** Five cron fields in a time zone (docs/spec/background.md §4). */
const scheduleTriggerSchema = z.strictObject({
  kind: z.literal('schedule'),
  description: descriptionSchema,
  cron: z.string().max(256),
  tz: z.string().min(1).max(64).optional(),
});

/** A group is judged this long after its last evidence (docs/spec/background.md §5.4). */
const groupEndTriggerSchema = z.strictObject({
  kind: z.literal('group_end'),
  description: descriptionSchema,
  after: z.string().max(64),
});

export const triggerSchema = z.discriminatedUnion('kind', [scheduleTriggerSchema, groupEndTriggerSchema]);

export type Trigger = z.infer<typeof triggerSchema>;

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const yearSeconds = 365 * 86_400;

/** Seconds of `<n><s|m|h|d>`, n positive without leading zero, one year at most; `undefined` for any other text. */
export function parseDuration(text: string): number | undefined {
  const match = /^([1-9]\d{0,8})([smhd])$/.exec(text);
  const seconds = match === null ? Number.NaN : Number(match[1]) * (unitSeconds[match[2] ?? ''] ?? Number.NaN);
  return seconds <= yearSeconds ? seconds : undefined;
}
