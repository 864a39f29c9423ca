import { equal } from '../values/equal.ts';
import { operator } from './operator.ts';

export const equalityOperators = {
  equals: operator('any', 'any', 'The value equals the expected one.', equal, { normalizes: true }),
  not_equals: operator('any', 'any', 'The value differs from the expected one.', (left, right) => !equal(left, right), {
    normalizes: true,
  }),
} as const;
