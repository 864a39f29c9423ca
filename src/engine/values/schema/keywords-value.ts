import type { Json } from '#contract/json.ts';
import { equal, membership } from '../equal.ts';
import { isList, kindOf } from '../kind.ts';
import { searches, searchWork } from '../regex.ts';
import { scalarCount } from '../text.ts';
import { charge } from './evaluation.ts';
import type { Keyword } from './keyword.ts';
import { isMultiple } from './multiple-of.ts';

/** Keywords of JSON Schema 2020-12 validation that look at one value only. `format` is annotation, so it is not here. */

function hasType(value: Json, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return (kindOf(value) === 'bool' ? 'boolean' : kindOf(value)) === type;
}

const type: Keyword = (value, context) => {
  const types = (isList(value) ? value : [value]) as readonly string[];
  return (instance, at, run) => types.some((name) => hasType(instance, name)) || context.fail(run, at);
};

const constant: Keyword = (value, context) => (instance, at, run) => equal(instance, value) || context.fail(run, at);

const enumeration: Keyword = (value, context) => {
  const isMember = membership(value as readonly Json[]);
  return (instance, at, run) => isMember(instance) || context.fail(run, at);
};

const pattern: Keyword = (value, context) => {
  const text = value as string;
  context.pattern(text, `/${context.keyword}`);
  return (instance, at, run) => {
    if (typeof instance !== 'string') return true;
    if (!charge(run, Math.ceil(searchWork(text, instance) / 128))) return false;
    return searches(text, instance) || context.fail(run, at);
  };
};

function lengthLimit(holds: (length: number, limit: number) => boolean): Keyword {
  return (value, context) => (instance, at, run) =>
    typeof instance !== 'string' || holds(scalarCount(instance), value as number) || context.fail(run, at);
}

function numberLimit(holds: (number: number, limit: number) => boolean): Keyword {
  return (value, context) => (instance, at, run) =>
    typeof instance !== 'number' || holds(instance, value as number) || context.fail(run, at);
}

export const valueKeywords = {
  type,
  const: constant,
  enum: enumeration,
  pattern,
  minLength: lengthLimit((length, limit) => length >= limit),
  maxLength: lengthLimit((length, limit) => length <= limit),
  minimum: numberLimit((number, limit) => number >= limit),
  maximum: numberLimit((number, limit) => number <= limit),
  exclusiveMinimum: numberLimit((number, limit) => number > limit),
  exclusiveMaximum: numberLimit((number, limit) => number < limit),
  multipleOf: numberLimit(isMultiple),
};
