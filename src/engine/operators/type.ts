import type { Json } from '#contract/json.ts';
import { isList, isObject, kindOf } from '../values/kind.ts';
import { operator } from './operator.ts';

function isTruthy(value: Json): boolean {
  if (isList(value)) return value.length > 0;
  return isObject(value) ? Object.keys(value).length > 0 : Boolean(value);
}

/** Operators on the kind of a value; they are defined on everything that is there. */
export const typeOperators = {
  is_truthy: operator('any', 'none', 'The value is not null, false, 0 or empty.', isTruthy),
  is_falsy: operator('any', 'none', 'The value is null, false, 0 or empty.', (left) => !isTruthy(left)),
  is_null: operator('any', 'none', 'The value is null.', (left) => left === null),
  is_not_null: operator('any', 'none', 'The value is there and not null.', (left) => left !== null),
  is_type: operator(
    'any',
    'none',
    'The value is of the JSON kind `expected`.',
    (left, _, from) => kindOf(left) === from.expected,
    {
      parameters: { expected: { type: 'word', words: ['null', 'bool', 'number', 'string', 'array', 'object'] } },
      records: { parameter: 'expected' },
    },
  ),
  is_string: operator('any', 'none', 'The value is a text.', (left) => typeof left === 'string'),
  is_number: operator('any', 'none', 'The value is a number.', (left) => typeof left === 'number'),
  is_boolean: operator('any', 'none', 'The value is true or false.', (left) => typeof left === 'boolean'),
  is_object: operator('any', 'none', 'The value is an object.', isObject),
} as const;
