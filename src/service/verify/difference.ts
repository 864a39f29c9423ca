import type { JsonObject } from '#contract/json.ts';
import type { RequirementResult, VerificationResult } from '#contract/result.ts';

/** Requirements whose outcome a replay changed, by id; null: a version has no such requirement (docs/spec/wire.md §10). */
export function differenceOf(before: VerificationResult, after: VerificationResult): readonly JsonObject[] {
  const [was, is] = [outcomesOf(before), outcomesOf(after)];
  const ids = [...new Set([...was.keys(), ...is.keys()])];
  return ids
    .map((requirement) => ({
      requirement,
      before: was.get(requirement) ?? null,
      after: is.get(requirement) ?? null,
    }))
    .filter((one) => one.before !== one.after);
}

function outcomesOf({ outcome }: VerificationResult): ReadonlyMap<string, RequirementResult['outcome']> {
  return new Map(outcome.requirements.map(({ id, outcome: found }) => [id, found]));
}
