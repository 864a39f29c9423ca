import type { Json } from './json.ts';

/**
 * An operator in its one internal form: the wire's bare string becomes `{ kind }`, an object keeps its parameters
 * (docs/spec/verification.md §7.1).
 */
export interface Operator {
  readonly kind: OperatorName;
  readonly [parameter: string]: Json;
}

export const operatorNames = [
  'equals',
  'not_equals',
  'greater_than',
  'greater_than_or_equals',
  'less_than',
  'less_than_or_equals',
  'in_range',
  'not_in_range',
  'approximately_equals',
  'is_positive',
  'is_negative',
  'is_zero',
  'contains',
  'not_contains',
  'contains_ignore_case',
  'starts_with',
  'ends_with',
  'matches_regex',
  'not_matches_regex',
  'is_email',
  'is_url',
  'is_uuid',
  'is_ipv4',
  'is_ipv6',
  'has_min_length',
  'has_max_length',
  'is_json',
  'in',
  'not_in',
  'is_subset',
  'is_superset',
  'all_of',
  'is_disjoint',
  'none_of',
  'any_of',
  'is_empty',
  'is_non_empty',
  'length',
  'length_greater_than',
  'length_less_than',
  'unique_values',
  'is_truthy',
  'is_falsy',
  'is_null',
  'is_not_null',
  'is_type',
  'is_string',
  'is_number',
  'is_boolean',
  'is_object',
  'within_abs_tolerance',
  'within_pct_tolerance',
  'within_std_dev',
  'between_percentiles',
  'divergence_less_than',
  'cosine_similarity_at_least',
] as const;

export type OperatorName = (typeof operatorNames)[number];
