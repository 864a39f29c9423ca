import { z } from 'zod';
import { cardFileSchema, type JudgedKind } from '#contract/cards/index.ts';
import type { JsonObject } from '#contract/json.ts';
import { operators } from '#engine/operators/index.ts';
import type { OperatorDefinition, Parameter } from '#engine/operators/operator.ts';

/** JSON Schema 2020-12 of a Card file, so that an editor completes and checks it. */
export function cardJsonSchema(kind: JudgedKind): JsonObject {
  const schema = z.toJSONSchema(cardFileSchema(kind), {
    io: 'output',
    unrepresentable: 'any',
    reused: 'ref',
    override: ({ jsonSchema }) => {
      if (jsonSchema.id === 'Operator') Object.assign(jsonSchema, operatorJsonSchema());
    },
  });
  const { $schema, ...rest } = JSON.parse(JSON.stringify(schema)) as JsonObject;
  const id = `https://touchstone.dev/schemas/${kind.toLowerCase()}.schema.json`;
  return { $schema: $schema ?? '', $id: id, title: `${kind} Card`, ...rest };
}

/** Bare names, and an object for each operator with parameters (docs/spec/verification.md §7.1). */
function operatorJsonSchema(): JsonObject {
  const entries = Object.entries(operators);
  const bare = entries.filter(([, { parameters }]) => Object.keys(parameters).length === 0).map(([name]) => name);
  const objects = entries
    .filter(([, { parameters }]) => Object.keys(parameters).length > 0)
    .map(([name, definition]) => objectSchema(name, definition));
  return { anyOf: [{ type: 'string', enum: bare }, ...objects] };
}

function objectSchema(name: string, { parameters, summary }: OperatorDefinition): JsonObject {
  const properties = Object.fromEntries(
    Object.entries(parameters).map(([key, value]) => [key, parameterSchema(value)]),
  );
  return {
    description: summary,
    type: 'object',
    properties: { kind: { const: name }, ...properties },
    required: ['kind', ...Object.keys(parameters)],
    additionalProperties: false,
  };
}

function parameterSchema(parameter: Parameter): JsonObject {
  switch (parameter.type) {
    case 'number':
      return { type: 'number' };
    case 'count':
      return { type: 'integer', minimum: 0 };
    case 'boolean':
      return { type: 'boolean' };
    case 'text':
      return { type: 'string' };
    case 'word':
      return { enum: [...parameter.words] };
  }
}
