import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { createModels } from '#adapters/models/models.ts';
import type { Json } from '#contract/json.ts';
import type { Deployment } from '#service/ports/model-routes.ts';
import type { ModelRequest } from '#service/ports.ts';
import { type ProviderServer, sendJson, startProviderServer } from '#test/support/provider-server.ts';

let server: ProviderServer | undefined;
afterEach(() => server?.close());

const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'], additionalProperties: false };
const request: ModelRequest = {
  route: { kind: 'wyrd_gateway', deployment: 'd' },
  provider: 'any',
  model: 'm-1',
  system: 'Judge.',
  messages: [{ role: 'user', parts: [{ kind: 'text', text: 'Text' }] }],
  settings: { temperature: 0, max_output_tokens: 100 },
  schema,
  tools: [],
};

const openAi = (content: Json, more: object = {}): Json => ({
  id: 'x',
  object: 'chat.completion',
  created: 0,
  model: 'm-1-2026',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content, ...more } }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

async function generate(
  answer: (response: ServerResponse) => void,
  change: Partial<ModelRequest> = {},
  deployment?: (url: string) => Deployment,
) {
  server = await startProviderServer(answer);
  const made = deployment?.(server.url) ?? {
    provider: 'openai-compatible',
    base_url: `${server.url}/v1`,
    api_key: 'k3y',
  };
  const models = createModels({ deployments: new Map([['d', made]]), native: new Map() });
  return models.generate({ ...request, ...change }, AbortSignal.timeout(10_000));
}

describe('an OpenAI-compatible deployment', () => {
  test('is sent the prompt, the settings and the schema, and its text comes back as it is', async () => {
    const reply = await generate((response) => sendJson(response, 200, openAi(' {"a": 1} ')));
    expect(reply).toMatchObject({ kind: 'answer', text: ' {"a": 1} ', tool_calls: [], model_reported: 'm-1-2026' });
    const [sent] = server?.seen ?? [];
    expect(sent?.headers.authorization).toBe('Bearer k3y');
    expect(sent?.body).toMatchObject({
      model: 'm-1',
      temperature: 0,
      max_tokens: 100,
      messages: [
        { role: 'system', content: 'Judge.' },
        { role: 'user', content: 'Text' },
      ],
      response_format: { type: 'json_schema', json_schema: { schema } },
    });
    expect(sent?.body).not.toHaveProperty('tools');
  });

  test.each<[string, (response: ServerResponse) => void, object]>([
    ['a refusal', (r) => sendJson(r, 200, openAi(null, { refusal: 'No.' })), { kind: 'refusal' }],
    ['500', (r) => sendJson(r, 500, {}), { code: 'provider_error', retryable: true }],
    [
      '503 with a pause',
      (r) => sendJson(r, 503, {}, { 'retry-after': '7' }),
      { code: 'provider_error', retry_after_ms: 7000 },
    ],
    ['429', (r) => sendJson(r, 429, {}), { code: 'provider_rate_limited', retryable: true }],
    ['401', (r) => sendJson(r, 401, {}), { code: 'provider_rejected', retryable: false }],
    ['408', (r) => sendJson(r, 408, {}), { code: 'provider_rejected', retryable: false }],
    [
      'a redirect',
      (r) => r.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      { code: 'provider_unreachable', retryable: true },
    ],
    ['a closed connection', (r) => void r.destroy(), { code: 'provider_unreachable', retryable: true }],
    [
      'a body that is no JSON',
      (r) => void r.writeHead(200).end('<html>'),
      { code: 'provider_malformed_response', retryable: true },
    ],
    [
      'a body of another form',
      (r) => sendJson(r, 200, { ok: true }),
      { code: 'provider_malformed_response', retryable: true },
    ],
    [
      'a body cut short',
      (r) => void r.writeHead(200, { 'content-length': '900' }).write('{"id"', () => r.destroy()),
      { kind: 'failure' },
    ],
    ['over 1 MiB', (r) => sendJson(r, 200, openAi('x'.repeat(1_100_000))), { code: 'provider_malformed_response' }],
  ])('that answers %s gives the code of it', async (_, answer, expected) => {
    expect(await generate(answer)).toMatchObject(expected);
  });

  test('that hangs is left when the signal says so', async () => {
    server = await startProviderServer(() => {});
    const deployment = { provider: 'openai-compatible', base_url: server.url } as const;
    const models = createModels({ deployments: new Map([['d', deployment]]), native: new Map() });
    await expect(models.generate(request, AbortSignal.timeout(100))).rejects.toThrow();
  });

  test('never shows its key or its prompt in a failure', async () => {
    const reply = await generate((response) => sendJson(response, 400, { error: { message: 'key k3y, prompt Text' } }));
    expect(JSON.stringify(reply)).not.toMatch(/k3y|Text/);
  });

  test('is offered tools by names without dots, and asks for them by ours', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'fs_read', arguments: '{"path":"/inputs/a"}' } };
    const tools = [{ name: 'fs.read', description: 'Reads', parameters: { type: 'object', properties: {} } }];
    const reply = await generate((response) => sendJson(response, 200, openAi(null, { tool_calls: [call] })), {
      tools,
      schema: null,
    });
    expect(reply).toMatchObject({
      kind: 'answer',
      tool_calls: [{ id: 'c1', tool: 'fs.read', arguments: { path: '/inputs/a' } }],
    });
    expect(JSON.stringify(server?.seen[0]?.body.tools)).toContain('"fs_read"');
  });
});

test('an Anthropic deployment speaks the messages protocol', async () => {
  const message = (more: object): Json => ({
    id: 'x',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
    content: [{ type: 'text', text: '{"a":1}' }],
    stop_reason: 'end_turn',
    ...more,
  });
  const deployment = (url: string): Deployment => ({
    provider: 'anthropic',
    base_url: `${url}/v1`,
    api_key: 'k3y',
    model: 'claude-x',
  });
  const reply = await generate((response) => sendJson(response, 200, message({})), { schema: null }, deployment);
  expect(reply).toMatchObject({ kind: 'answer', text: '{"a":1}', model_reported: 'claude-x' });
  const [sent] = server?.seen ?? [];
  expect(sent).toMatchObject({
    path: '/v1/messages',
    body: { model: 'claude-x', max_tokens: 100, system: [{ text: 'Judge.' }] },
  });
  expect(sent?.headers['x-api-key']).toBe('k3y');
  await server?.close();
  expect(
    await generate(
      (response) => sendJson(response, 200, message({ stop_reason: 'refusal' })),
      { schema: null },
      deployment,
    ),
  ).toEqual({
    kind: 'refusal',
  });
});

test('a Bedrock deployment speaks the converse protocol', async () => {
  const body: Json = {
    output: { message: { role: 'assistant', content: [{ text: '{"a":1}' }] } },
    stopReason: 'end_turn',
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    metrics: { latencyMs: 1 },
  };
  const deployment = (url: string): Deployment => ({
    provider: 'bedrock',
    region: 'eu-west-1',
    base_url: url,
    api_key: 'k3y',
    model: 'vendor.m',
  });
  const reply = await generate((response) => sendJson(response, 200, body), { schema: null }, deployment);
  expect(reply).toMatchObject({ kind: 'answer', text: '{"a":1}' });
  expect(server?.seen[0]).toMatchObject({ path: '/model/vendor.m/converse', headers: { authorization: 'Bearer k3y' } });
});

test.each([
  { route: { kind: 'wyrd_gateway', deployment: 'unknown' } } as const,
  { route: { kind: 'native' } } as const,
])('a route the host does not have is agent_unavailable: $route.kind', async (change) => {
  const models = createModels({ deployments: new Map(), native: new Map() });
  expect(await models.generate({ ...request, ...change }, AbortSignal.timeout(100))).toEqual({
    kind: 'failure',
    code: 'agent_unavailable',
    retryable: false,
  });
});
