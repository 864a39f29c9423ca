import { Problem } from '#contract/errors.ts';
import type { Attempts } from '../ports/attempts.ts';
import { maxUnsettled } from './rules.ts';

/** Back-pressure refuses before anything is stored (docs/spec/background.md §2.6). */
export async function requireRoom({ attempts }: { readonly attempts: Attempts }, tenant: string): Promise<void> {
  if ((await attempts.unsettled(tenant)) < maxUnsettled) return;
  throw new Problem('WYRD_VERIFICATION_429_STAGING_FULL', 'too many executions are not settled yet', {
    retry_after_seconds: 60,
  });
}
