import type { Json, JsonObject } from '#contract/json.ts';
import type { Operator } from '#contract/operators.ts';
import { isObject, memberOf } from '../values/kind.ts';
import type { Parameter } from './operator.ts';
import { isOperatorName, operators } from './table.ts';

export type OperatorDecoding =
  | { readonly ok: true; readonly operator: Operator }
  | { readonly ok: false; readonly message: string };

/** Decodes the wire form strictly: docs/spec/verification.md §7.1. Whether parameters fit each other is not looked at. */
export function decodeOperator(wire: Json): OperatorDecoding {
  if (typeof wire === 'string') return decodeBare(wire);
  const kind = isObject(wire) ? memberOf(wire, 'kind') : undefined;
  if (!isObject(wire) || typeof kind !== 'string') return refuse('an operator is a name or an object with a kind');
  return decodeObject(kind, wire);
}

function decodeBare(name: string): OperatorDecoding {
  if (!isOperatorName(name)) return refuse('not an operator');
  const parameters = Object.keys(operators[name].parameters);
  if (parameters.length > 0) return refuse(`${name} needs ${parameters.join(', ')}: write it as an object`);
  return { ok: true, operator: { kind: name } };
}

function decodeObject(kind: string, wire: JsonObject): OperatorDecoding {
  if (!isOperatorName(kind)) return refuse('not an operator');
  const parameters = Object.entries(operators[kind].parameters);
  if (parameters.length === 0) return refuse(`${kind} has no parameters: write it as a bare name`);
  const decoded: Record<string, Json> = {};
  for (const [name, parameter] of parameters) {
    const value = memberOf(wire, name);
    if (value === undefined) return refuse(`${kind} needs ${name}`);
    if (!fits(value, parameter)) return refuse(`${kind}: ${name} must be ${describe(parameter)}`);
    decoded[name] = value;
  }
  if (Object.keys(wire).length !== parameters.length + 1) return refuse(`${kind} has a parameter that is not its own`);
  return { ok: true, operator: { kind, ...decoded } };
}

function fits(value: Json, parameter: Parameter): boolean {
  switch (parameter.type) {
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'count':
      return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
    case 'boolean':
      return typeof value === 'boolean';
    case 'text':
      return typeof value === 'string';
    case 'word':
      return typeof value === 'string' && parameter.words.includes(value);
  }
}

function describe(parameter: Parameter): string {
  switch (parameter.type) {
    case 'number':
      return 'a number';
    case 'count':
      return 'a whole number, 0 or more';
    case 'boolean':
      return 'true or false';
    case 'text':
      return 'a text';
    case 'word':
      return `one of ${parameter.words.join(', ')}`;
  }
}

function refuse(message: string): OperatorDecoding {
  return { ok: false, message };
}

/** The wire form again: a bare string where there are no parameters. */
export function encodeOperator(operator: Operator): Json {
  return Object.keys(operators[operator.kind].parameters).length === 0 ? operator.kind : { ...operator };
}
