import type { Json } from '#contract/json.ts';
import type { Operator } from '#contract/operators.ts';
import { searches, searchWork } from '../values/regex.ts';
import { lowerExpected } from './expected-text.ts';
import { findsText } from './find-text.ts';
import { operator, text, textOf } from './operator.ts';

const substring = { normalizes: true, vacuousOnEmptyRight: true } as const;
const regex = {
  parameters: { pattern: text },
  records: { parameter: 'pattern' },
  normalizes: true,
  work: (left: Json, from: Operator) => (typeof left === 'string' ? searchWork(textOf(from, 'pattern'), left) : 0),
} as const;

export const textOperators = {
  contains: operator('text', 'text', 'The expected text occurs in the text.', findsText, substring),
  not_contains: operator(
    'text',
    'text',
    'The expected text does not occur in the text.',
    (left, right) => !findsText(left, right),
    substring,
  ),
  contains_ignore_case: operator(
    'text',
    'text',
    'The expected text occurs in the text, both in Unicode lower case (no case folding).',
    (left, right) => findsText(left.toLowerCase(), lowerExpected(right)),
    substring,
  ),
  starts_with: operator(
    'text',
    'text',
    'The text begins with the expected one.',
    (left, right) => left.startsWith(right),
    substring,
  ),
  ends_with: operator(
    'text',
    'text',
    'The text ends with the expected one.',
    (left, right) => left.endsWith(right),
    substring,
  ),
  matches_regex: operator(
    'text',
    'none',
    'The pattern (Rust regex) is found somewhere in the text.',
    (left, _, from) => searches(textOf(from, 'pattern'), left),
    regex,
  ),
  not_matches_regex: operator(
    'text',
    'none',
    'The pattern (Rust regex) is not found in the text.',
    (left, _, from) => !searches(textOf(from, 'pattern'), left),
    regex,
  ),
} as const;
