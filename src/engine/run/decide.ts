import type { VerdictWord } from '#contract/result.ts';
import type { Verifier } from '../plan.ts';

/**
 * The verdict of a run from the outcomes that count (docs/spec/verification.md §11): not_applicable and advisory ones
 * are left out by the caller. Nothing to count is inconclusive.
 */
export function decide(rule: Verifier['decide'], counted: readonly VerdictWord[]): VerdictWord {
  let passed = 0;
  let failed = 0;
  for (const outcome of counted) {
    if (outcome === 'passed') passed += 1;
    else if (outcome === 'failed') failed += 1;
  }
  const inconclusive = counted.length - passed - failed;
  if (counted.length === 0) return 'inconclusive';
  if (rule === 'all') {
    if (failed > 0) return 'failed';
    return inconclusive > 0 ? 'inconclusive' : 'passed';
  }
  if (passed / counted.length >= rule.pass_rate.threshold) return 'passed';
  return inconclusive > 0 ? 'inconclusive' : 'failed';
}
