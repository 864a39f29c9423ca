import {
  bindingStateSchema,
  bindingsPageSchema,
  bindingsQuerySchema,
  groupSchema,
  occurrencesSchema,
} from '#contract/requests/bindings.ts';
import { readGroup } from '#service/groups/read-group.ts';
import {
  activateBinding,
  listBindings,
  readBinding,
  readOccurrences,
  refitBinding,
} from '#service/verify/read-binding.ts';
import { pageAnswer, pageRequest } from '../page-request.ts';
import { jsonRoute } from '../route.ts';

const readers = ['verifier:run', 'audit:read'] as const;

export const bindingRoutes = [
  jsonRoute({
    method: 'GET',
    path: '/v1/verification/bindings',
    summary: 'List bindings, newest first',
    any_of: readers,
    query: bindingsQuerySchema,
    success: { status: 200, schema: bindingsPageSchema },
    handle: async ({ ports, principal, query }) => {
      const { owner, subject, verifier } = query;
      const filter = {
        ...(owner === undefined ? {} : { owner }),
        ...(subject === undefined ? {} : { subject }),
        ...(verifier === undefined ? {} : { verifier }),
      };
      return pageAnswer(await listBindings(ports, principal, filter, pageRequest(query)), query);
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/v1/verification/bindings/{binding_id}',
    summary: 'Read the state of one binding',
    any_of: readers,
    success: { status: 200, schema: bindingStateSchema },
    handle: async ({ ports, principal, parameters }) => ({
      json: await readBinding(ports, principal, parameters.binding_id ?? ''),
    }),
  }),
  jsonRoute({
    method: 'GET',
    path: '/v1/verification/bindings/{binding_id}/occurrences',
    summary: 'The last hundred occurrences of a schedule, or groups that were due',
    any_of: readers,
    success: { status: 200, schema: occurrencesSchema },
    handle: async ({ ports, principal, parameters }) => ({
      json: await readOccurrences(ports, principal, parameters.binding_id ?? ''),
    }),
  }),
  jsonRoute({
    method: 'POST',
    path: '/v1/verification/bindings/{binding_id}/activate',
    summary: 'Activate the owner of a binding for a day, as its own key exchange would',
    any_of: ['operators:write'],
    success: { status: 200, schema: bindingStateSchema },
    handle: async ({ ports, principal, parameters }) => ({
      json: await activateBinding(ports, principal, parameters.binding_id ?? ''),
    }),
  }),
  jsonRoute({
    method: 'POST',
    path: '/v1/verification/bindings/{binding_id}/refit',
    summary: 'Fit the baselines again that could not be fitted',
    any_of: ['cards:write'],
    success: { status: 200, schema: bindingStateSchema },
    handle: async ({ ports, principal, parameters }) => ({
      json: await refitBinding(ports, principal, parameters.binding_id ?? ''),
    }),
  }),
  jsonRoute({
    method: 'GET',
    path: '/v1/verification/groups/{owner_card_uid}/{group_id}',
    summary: 'Read one group of an owner: when it is judged, what was seen, the last verdict',
    any_of: readers,
    success: { status: 200, schema: groupSchema },
    handle: async ({ ports, principal, parameters }) => ({
      json: await readGroup(ports, principal, parameters.owner_card_uid ?? '', parameters.group_id ?? ''),
    }),
  }),
];
