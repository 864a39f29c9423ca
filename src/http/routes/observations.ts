import { z } from 'zod';
import { observationsTableDescription } from '#contract/observations-table.ts';
import { observationBatchSchema, observationsAcceptedSchema } from '#contract/requests/observations.ts';
import { jsonRoute } from '../route.ts';

const description = z
  .looseObject({ entry: z.looseObject({}), table_version: z.int() })
  .meta({ id: 'TableDescription' });

export const observationRoutes = [
  jsonRoute({
    method: 'GET',
    path: '/v1/bifrost/tables/vala.drift/observations',
    summary: 'What clients are to send as samples over gRPC',
    any_of: ['bifrost_record:write'],
    success: { status: 200, schema: description },
    // Only clients from 0.4 on name the version that they run as.
    handle: async ({ header }) => {
      const client = header('x-wyrd-workload-uid') === null ? '0.3' : '0.4';
      return { json: observationsTableDescription(client) };
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/v1/observations',
    summary: 'Record a batch of samples, whole or not at all',
    any_of: ['bifrost_record:write'],
    body: { kind: 'json', schema: observationBatchSchema, limit: 1_048_576, rules: 'plain' },
    success: { status: 202, schema: observationsAcceptedSchema },
    handle: async ({ ports, principal, body }) => {
      const { receiveObservations } = await import('#service/observations/receive-observations.ts');
      return { status: 202, json: await receiveObservations(ports, principal, body) };
    },
  }),
];
