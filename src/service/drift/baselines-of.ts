import { isJsonObject } from '#contract/cards/shared.ts';
import type { Json, JsonObject } from '#contract/json.ts';

/** Requirements of a Verifier that are judged against a baseline: its Psi and Spc checks (docs/spec/background.md §6.5). */
export function baselinesOf(spec: JsonObject): readonly string[] {
  const requirements: Json = spec.requirements ?? [];
  if (!Array.isArray(requirements)) return [];
  return requirements.filter(isJsonObject).flatMap(({ id, check }) => {
    const isFitted = isJsonObject(check ?? null) && (check as JsonObject).kind === 'drift';
    return isFitted && (check as JsonObject).method !== 'Custom' && typeof id === 'string' ? [id] : [];
  });
}
