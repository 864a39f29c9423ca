import type { z } from 'zod';
import { TouchstoneError } from './touchstone-error.ts';

/** An answer that has the form it must have; members that are not known stay. Throws `TOUCHSTONE_CLIENT_BAD_ANSWER`. */
export function decode<Shape extends z.ZodType>(schema: Shape, value: unknown): z.output<Shape> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = (issue?.path ?? []).map((token) => `/${String(token)}`).join('');
  throw new TouchstoneError({
    code: 'TOUCHSTONE_CLIENT_BAD_ANSWER',
    status: 0,
    detail: `the answer does not have the expected form at ${place === '' ? 'its root' : place}`,
  });
}
