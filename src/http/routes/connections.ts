import {
  connectionCreateSchema,
  connectionListSchema,
  connectionSchema,
  connectionUpdateSchema,
} from '#contract/requests/connections.ts';
import {
  createConnection,
  disableConnection,
  listConnections,
  readConnection,
  updateConnection,
} from '#service/operators/connections.ts';
import { jsonRoute } from '../route.ts';

const limit = 65_536;
const path = '/v1/operator-connections';
const onePath = `${path}/{connection_id}`;
const view = { status: 200, schema: connectionSchema };

/** docs/spec/wire.md §8. No idempotency key: a repeated create is a conflict. */
export const connectionRoutes = [
  jsonRoute({
    method: 'POST',
    path,
    summary: 'Store a connection to a provider; its secret is never shown again',
    any_of: ['operators:write'],
    body: { kind: 'json', schema: connectionCreateSchema, limit, rules: 'plain' },
    success: { status: 201, schema: connectionSchema },
    handle: async ({ ports, principal, body }) => ({
      status: 201,
      json: await createConnection(ports, principal, body),
    }),
  }),
  jsonRoute({
    method: 'GET',
    path,
    summary: 'All connections, by name',
    any_of: ['operators:read', 'operators:write'],
    success: { status: 200, schema: connectionListSchema },
    handle: async ({ ports, principal }) => ({ json: await listConnections(ports, principal) }),
  }),
  jsonRoute({
    method: 'GET',
    path: onePath,
    summary: 'Read one connection',
    any_of: ['operators:read', 'operators:write'],
    success: view,
    handle: async ({ ports, principal, parameters }) => ({
      json: await readConnection(ports, principal, parameters.connection_id ?? ''),
    }),
  }),
  jsonRoute({
    method: 'PATCH',
    path: onePath,
    summary: 'Change a connection; what is left out stays',
    any_of: ['operators:write'],
    body: { kind: 'json', schema: connectionUpdateSchema, limit, rules: 'plain' },
    success: view,
    handle: async ({ ports, principal, parameters, body }) => ({
      json: await updateConnection(ports, principal, parameters.connection_id ?? '', body),
    }),
  }),
  jsonRoute({
    method: 'DELETE',
    path: onePath,
    summary: 'Disable a connection',
    any_of: ['operators:write'],
    success: view,
    handle: async ({ ports, principal, parameters }) => ({
      json: await disableConnection(ports, principal, parameters.connection_id ?? ''),
    }),
  }),
];
