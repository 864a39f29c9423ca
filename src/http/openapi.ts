import { z } from 'zod';
import type { BodyRule, Route } from './route.ts';

type Document = Readonly<Record<string, unknown>>;

const problemReference = { $ref: '#/components/schemas/Problem' };

const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'detail', 'request_id'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string' },
    detail: { type: 'string' },
    details: { type: 'object' },
    remediation: { type: 'string' },
    request_id: { type: 'string' },
  },
};

/** The table of routes as an OpenAPI 3.1 document: nothing in it is written by hand. */
export function openApiDocument(routes: readonly Route[], version: string): Document {
  const paths: Record<string, Record<string, Document>> = {};
  for (const route of routes) {
    const item = paths[route.path] ?? {};
    item[route.method.toLowerCase()] = operation(route);
    paths[route.path] = item;
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Touchstone', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths,
    components: {
      schemas: { Problem: problemSchema },
      securitySchemes: {
        accessToken: {
          type: 'apiKey',
          in: 'header',
          name: 'x-wyrd-access-token',
          description: 'Bearer <access token of POST /auth/token>',
        },
      },
    },
  };
}

function operation(route: Route): Document {
  const requestBody = bodyOf(route.body);
  const isPublic = route.access === 'public';
  return {
    operationId: `${route.method.toLowerCase()}${route.path.replaceAll(/[^A-Za-z0-9]+/g, '_').replace(/_$/, '')}`,
    summary: route.summary,
    security: isPublic ? [] : [{ accessToken: [] }],
    ...(route.access === 'public' ? {} : { 'x-permissions': route.access.any_of }),
    parameters: parametersOf(route),
    ...(requestBody === null ? {} : { requestBody }),
    responses: {
      [route.success.status]: {
        description: 'Success',
        content: {
          [route.success.content_type ?? 'application/json']: {
            schema: route.success.schema ? schemaOf(route.success.schema, 'output') : {},
          },
        },
      },
      default: { description: 'Refused', content: { 'application/problem+json': { schema: problemReference } } },
    },
  };
}

function bodyOf(rule: BodyRule<unknown>): Document | null {
  switch (rule.kind) {
    case 'none':
      return null;
    case 'json':
      return { required: true, content: { 'application/json': { schema: schemaOf(rule.schema, 'input') } } };
    case 'form':
      return { required: true, content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } } };
    case 'bytes':
    case 'stream':
      return { required: true, content: { 'application/octet-stream': {} } };
  }
}

function parametersOf(route: Route): readonly Document[] {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const properties = route.query ? schemaOf(route.query, 'input').properties : {};
  const inQuery = Object.entries(properties ?? {}).map(([name, schema]) => ({ name, in: 'query', schema }));
  return [...inPath, ...inQuery];
}

/** Schemas are written whole into their places, so that a reader needs no second document. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
  return rest;
}
