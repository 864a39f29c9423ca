import type { z } from 'zod';
import { Problem } from '#contract/errors.ts';

/** The value in the schema's type, or one refusal that names every bad place by JSON Pointer. */
export function checkSchema<Value>(schema: z.ZodType<Value>, value: unknown, where: string): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, 100).map((issue) => ({
    path: pointerOf(issue),
    message: issue.message,
  }));
  const first = issues[0];
  throw new Problem('WYRD_SPEC_400_VALIDATION', `${where}${first?.path ?? ''}: ${first?.message ?? 'not valid'}`, {
    field: first?.path ?? '',
    issues,
  });
}

/** An unknown member is named itself, not the object that holds it. */
function pointerOf(issue: z.core.$ZodIssue): string {
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
  return path.map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
