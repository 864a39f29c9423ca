import type { Json } from '#contract/json.ts';
import { canonical } from '../values/canonical.ts';
import { hashAbove, includes, membership } from '../values/equal.ts';
import { isList } from '../values/kind.ts';
import { nfkcExpected, visibleExpected } from './expected-text.ts';
import { type Normalization, normalizeText } from './normalize-text.ts';

/**
 * What is worked out once for an expected list and used for every item of `each`. Kept by the identity of the list, which
 * belongs to the plan and never changes.
 */
const memberships = new WeakMap<readonly Json[], (value: Json) => boolean>();
const distincts = new WeakMap<readonly Json[], readonly Json[]>();
const normalized = { nfkc: new WeakMap<readonly Json[], Json>(), visible: new WeakMap<readonly Json[], Json>() };

export function membershipOf(list: readonly Json[]): (value: Json) => boolean {
  if (list.length <= hashAbove) return (value) => includes(list, value);
  return remembered(memberships, list, () => membership(list));
}

/** The list without repeated members. */
export function distinctOf(list: readonly Json[]): readonly Json[] {
  if (list.length < 2) return list;
  return remembered(distincts, list, () => {
    const kept: Json[] = [];
    if (list.length <= hashAbove) {
      for (const member of list) if (!includes(kept, member)) kept.push(member);
      return kept;
    }
    const seen = new Set<string>();
    for (const member of list) {
      const text = canonical(member);
      if (seen.has(text)) continue;
      seen.add(text);
      kept.push(member);
    }
    return kept;
  });
}

/** R as `normalize` wants it: a text, or the texts directly in a list (docs/spec/verification.md §17). */
export function normalizedExpected(mode: Normalization, expected: Json): Json {
  if (mode === 'none') return expected;
  if (typeof expected === 'string') return mode === 'nfkc' ? nfkcExpected(expected) : visibleExpected(expected);
  if (!isList(expected)) return expected;
  return remembered(normalized[mode], expected, () =>
    expected.map((member) => (typeof member === 'string' ? normalizeText(mode, member) : member)),
  );
}

function remembered<Value>(store: WeakMap<readonly Json[], Value>, list: readonly Json[], make: () => Value): Value {
  const known = store.get(list);
  if (known !== undefined) return known;
  const made = make();
  store.set(list, made);
  return made;
}
