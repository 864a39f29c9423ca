import { z } from 'zod';
import { Problem } from '#contract/errors.ts';
import { openApiDocument } from '../openapi.ts';
import { publicRoute, type Route } from '../route.ts';

const health = z.strictObject({ status: z.string(), version: z.string(), failing: z.string().optional() });

export const metaRoutes = [
  publicRoute({
    method: 'GET',
    path: '/health',
    summary: 'Whether the process answers',
    success: { status: 200, schema: health },
    handle: async ({ ports }) => ({ json: { status: 'ok', version: ports.engine.version } }),
  }),
  publicRoute({
    method: 'GET',
    path: '/ready',
    summary: 'Whether the stores answer; 503 names the failing part',
    success: { status: 200, schema: health },
    handle: async ({ ports }) => {
      const failing = await ports.failingPart();
      const { version } = ports.engine;
      if (failing !== null) return { status: 503, json: { status: 'unavailable', version, failing } };
      return { json: { status: 'ok', version } };
    },
  }),
  publicRoute({
    method: 'GET',
    path: '/v1/schemas/{name}',
    summary: 'The JSON Schema of a Card kind, as <kind>.json',
    success: { status: 200, content_type: 'application/schema+json' },
    handle: async ({ parameters }) => {
      // The schemas of all kinds are large and few callers ask for them.
      const { schemaDocument } = await import('../card-schemas.ts');
      const schema = schemaDocument(parameters.name ?? '');
      if (!schema) throw new Problem('WYRD_SPEC_404_NOT_FOUND', 'no such schema');
      return { json: schema };
    },
  }),
];

/** Describes every route of the table, itself included. */
export function openApiRoute(table: () => readonly Route[]): Route {
  return publicRoute({
    method: 'GET',
    path: '/openapi.json',
    summary: 'This surface as OpenAPI 3.1',
    success: { status: 200 },
    handle: async ({ ports }) => ({ json: openApiDocument(table(), ports.engine.version) }),
  });
}
