import { z } from 'zod';
import {
  artifactsSchema,
  byRefQuerySchema,
  cardAnswerSchema,
  cardsPageSchema,
  cardsQuerySchema,
  declarationSchema,
  declareRequestSchema,
  deletedSchema,
  downloadPlanSchema,
  downloadQuerySchema,
  downloadRequestSchema,
} from '#contract/requests/cards.ts';
import { listArtifacts, planDownload, readArtifact } from '#service/cards/read-artifacts.ts';
import { cardByName, deleteCard, listCards, readCardByName, readCardByUid } from '#service/cards/read-cards.ts';
import { pageAnswer, pageRequest } from '../page-request.ts';
import { jsonRoute } from '../route.ts';

const fourMebibytes = 4_194_304;

const writing = [
  jsonRoute({
    method: 'POST',
    path: '/v1/cards',
    summary: 'Declare Cards, all or nothing',
    any_of: ['cards:write'],
    success: { status: 200, schema: declarationSchema },
    body: { kind: 'json', schema: declareRequestSchema, limit: fourMebibytes, rules: 'card' },
    handle: async ({ ports, principal, body, header }) => {
      const request = { submissions: body.submissions, key: header('idempotency-key') };
      // The schemas of all Card kinds are loaded by the first declaration: an idle host stays small.
      const { declareCards } = await import('#service/cards/declare.ts');
      const { answer, created } = await declareCards(ports, principal, request);
      return { status: created ? 201 : 200, json: answer };
    },
  }),
  jsonRoute({
    method: 'POST',
    path: '/v1/cards/{card_uid}/complete',
    summary: 'Make a Card active once its files have arrived',
    any_of: ['cards:write'],
    success: { status: 200, schema: declarationSchema },
    body: { kind: 'json', schema: z.null(), limit: 65_536, rules: 'plain' },
    handle: async ({ ports, principal, parameters, header }) => {
      const request = { card_uid: parameters.card_uid ?? '', key: header('idempotency-key') };
      const { completeCard } = await import('#service/cards/complete-card.ts');
      return { json: await completeCard(ports, principal, request) };
    },
  }),
  jsonRoute({
    method: 'DELETE',
    path: '/v1/cards/by-ref',
    summary: 'Delete a Card by name',
    any_of: ['cards:delete'],
    query: byRefQuerySchema,
    success: { status: 200, schema: deletedSchema },
    handle: async ({ ports, principal, query }) => ({
      json: await deleteCard(ports, principal, await cardByName(ports, principal, query)),
    }),
  }),
  jsonRoute({
    method: 'DELETE',
    path: '/v1/cards/by-uid/{kind}/{uid}',
    summary: 'Delete a Card by uid',
    any_of: ['cards:delete'],
    success: { status: 200, schema: deletedSchema },
    handle: async ({ ports, principal, parameters }) => ({
      json: await deleteCard(ports, principal, { kind: parameters.kind ?? '', uid: parameters.uid ?? '' }),
    }),
  }),
];

const reading = [
  jsonRoute({
    method: 'GET',
    path: '/v1/cards',
    summary: 'List Cards, newest first',
    any_of: ['cards:read'],
    query: cardsQuerySchema,
    success: { status: 200, schema: cardsPageSchema },
    handle: async ({ ports, principal, query }) => {
      const request = {
        ...(query.kind === undefined ? {} : { kind: query.kind }),
        ...(query.space === undefined ? {} : { space: query.space }),
        ...(query.name === undefined ? {} : { name: query.name }),
        ...(query.status === undefined ? {} : { status: query.status }),
        ...(query.version_range === undefined ? {} : { version_range: query.version_range }),
        ...(query.filter === undefined ? {} : { name_contains: query.filter }),
        include_prerelease: query.include_prerelease === 'true',
      };
      return pageAnswer(await listCards(ports, principal, request, pageRequest(query)), query);
    },
  }),
  jsonRoute({
    method: 'GET',
    path: '/v1/cards/by-ref',
    summary: 'Read a Card by name and version',
    any_of: ['cards:read'],
    query: byRefQuerySchema,
    success: { status: 200, schema: cardAnswerSchema },
    handle: async ({ ports, principal, query }) => ({ json: await readCardByName(ports, principal, query) }),
  }),
  jsonRoute({
    method: 'GET',
    path: '/v1/cards/by-uid/{kind}/{uid}',
    summary: 'Read a Card by uid',
    any_of: ['cards:read'],
    success: { status: 200, schema: cardAnswerSchema },
    handle: async ({ ports, principal, parameters }) => ({
      json: await readCardByUid(ports, principal, parameters.kind ?? '', parameters.uid ?? ''),
    }),
  }),
  jsonRoute({
    method: 'GET',
    path: '/v1/cards/{kind}/{name}/latest',
    summary: 'Read the newest version of a Card',
    any_of: ['cards:read'],
    success: { status: 200, schema: cardAnswerSchema },
    handle: async ({ ports, principal, parameters }) => ({
      json: await readCardByName(ports, principal, { kind: parameters.kind ?? '', name: parameters.name ?? '' }),
    }),
  }),
  jsonRoute({
    method: 'GET',
    path: '/v1/cards/{kind}/{space}/{name}/latest',
    summary: 'Read the newest version of a Card of a space',
    any_of: ['cards:read'],
    success: { status: 200, schema: cardAnswerSchema },
    handle: async ({ ports, principal, parameters }) => ({
      json: await readCardByName(ports, principal, {
        kind: parameters.kind ?? '',
        space: parameters.space ?? '',
        name: parameters.name ?? '',
      }),
    }),
  }),
];

const files = [
  jsonRoute({
    method: 'GET',
    path: '/v1/cards/{card_uid}/artifacts',
    summary: 'List the files of a Card',
    any_of: ['cards:read'],
    success: { status: 200, schema: artifactsSchema },
    handle: async ({ ports, principal, parameters }) => ({
      json: { artifacts: await listArtifacts(ports, principal, parameters.card_uid ?? '') },
    }),
  }),
  jsonRoute({
    method: 'POST',
    path: '/v1/cards/download/init',
    summary: 'Plan the download of one file of a Card',
    any_of: ['artifacts:read'],
    success: { status: 200, schema: downloadPlanSchema },
    body: { kind: 'json', schema: downloadRequestSchema, limit: 65_536, rules: 'plain' },
    handle: async ({ ports, principal, body }) => ({
      json: await planDownload(ports, principal, { ...body, ttl_secs: body.ttl_secs ?? null }),
    }),
  }),
  jsonRoute({
    method: 'GET',
    path: '/v1/cards/download/local',
    summary: 'The bytes of one file of a Card',
    any_of: ['artifacts:read'],
    query: downloadQuerySchema,
    success: { status: 200, content_type: 'application/octet-stream' },
    handle: async ({ ports, principal, query }) => {
      const file = await readArtifact(ports, principal, query);
      return { bytes: file.bytes, content_type: 'application/octet-stream' };
    },
  }),
];

/** docs/spec/wire.md §4. */
export const cardRoutes = [...files, ...reading, ...writing];
