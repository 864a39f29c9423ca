import { observationBatchSchema, observationsAcceptedSchema } from '#contract/requests/observations.ts';
import { jsonRoute } from '../route.ts';

export const observationRoutes = [
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
