import type { Json } from '#contract/json.ts';

/**
 * What a trace check judges (docs/spec/verification.md §9.4, §17): no match is null, one is the bare value, more are the
 * list; under `select: list` always the list.
 */
export function collapse(matches: readonly Json[], select: 'collapse' | 'list'): Json {
  if (select === 'list' || matches.length > 1) return matches;
  return matches[0] ?? null;
}
