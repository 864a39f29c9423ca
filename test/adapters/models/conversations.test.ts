import { afterEach, describe, expect, test } from 'vitest';
import { createModels } from '#adapters/models/models.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { Deployment } from '#service/ports/model-routes.ts';
import type { ModelMessage, ModelRequest } from '#service/ports.ts';
import { type ProviderServer, sendJson, startProviderServer } from '#test/support/provider-server.ts';

/** What each provider's own protocol makes of files, tool calls and tool results (docs/spec/verification.md §4.4). */

let server: ProviderServer | undefined;
afterEach(() => server?.close());

const png = Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 1]);
const pdf = Buffer.from('%PDF-1.4 x');
const png64 = Buffer.from(png).toString('base64');
const pdf64 = pdf.toString('base64');

const media: ModelMessage = {
  role: 'user',
  parts: [
    { kind: 'text', text: 'Look' },
    { kind: 'media', media_type: 'image/png', bytes: png },
    { kind: 'media', media_type: 'application/pdf', bytes: pdf },
  ],
};

const conversation: readonly ModelMessage[] = [
  { role: 'user', parts: [{ kind: 'text', text: 'Look' }] },
  {
    role: 'assistant',
    parts: [
      { kind: 'text', text: 'I read.' },
      { kind: 'tool_call', id: 'c1', tool: 'fs.read', arguments: { path: '/inputs/a' } },
      { kind: 'tool_call', id: 'c2', tool: 'bifrost.list_tables', arguments: {} },
    ],
  },
  {
    role: 'tool',
    parts: [
      { kind: 'tool_result', id: 'c1', tool: 'fs.read', result: '<<<data x>>>\n{"a":1}\n<<<end of data x>>>' },
      { kind: 'tool_result', id: 'c2', tool: 'bifrost.list_tables', result: { tables: [] } },
    ],
  },
];
const firstResult = '<<<data x>>>\n{"a":1}\n<<<end of data x>>>';

const tools: ModelRequest['tools'] = ['fs.read', 'bifrost.list_tables'].map((name) => ({
  name,
  description: name,
  parameters: { type: 'object', properties: { path: { type: 'string' } }, additionalProperties: false },
}));

interface Provider {
  readonly deployment: (url: string) => Deployment;
  /** An answer that asks for a tool. */
  readonly asks: Json;
  readonly media: object;
  readonly conversation: readonly object[];
  readonly tools: object;
}

const providers: Readonly<Record<string, Provider>> = {
  'OpenAI-compatible': {
    deployment: (url) => ({ provider: 'openai-compatible', base_url: `${url}/v1`, api_key: 'k' }),
    asks: {
      id: 'x',
      object: 'chat.completion',
      created: 0,
      model: 'm',
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: 'I read.',
            tool_calls: [
              { id: 'c1', type: 'function', function: { name: 'fs_read', arguments: '{"path":"/inputs/a"}' } },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    },
    media: {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png64}` } },
        { type: 'file', file: { file_data: `data:application/pdf;base64,${pdf64}` } },
      ],
    },
    conversation: [
      {
        role: 'assistant',
        content: 'I read.',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'fs_read', arguments: '{"path":"/inputs/a"}' } },
          { id: 'c2', type: 'function', function: { name: 'bifrost_list_tables', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: firstResult },
      { role: 'tool', tool_call_id: 'c2', content: '{"tables":[]}' },
    ],
    tools: { tools: [{ type: 'function', function: { name: 'fs_read' } }, {}] },
  },
  Anthropic: {
    deployment: (url) => ({ provider: 'anthropic', base_url: `${url}/v1`, api_key: 'k', model: 'claude-x' }),
    asks: {
      id: 'x',
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      stop_sequence: null,
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 1 },
      content: [
        { type: 'text', text: 'I read.' },
        { type: 'tool_use', id: 'c1', name: 'fs_read', input: { path: '/inputs/a' } },
      ],
    },
    media: {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png64 } },
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdf64 } },
      ],
    },
    conversation: [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I read.' },
          { type: 'tool_use', id: 'c1', name: 'fs_read', input: { path: '/inputs/a' } },
          { type: 'tool_use', id: 'c2', name: 'bifrost_list_tables', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: firstResult },
          { type: 'tool_result', tool_use_id: 'c2', content: '{"tables":[]}' },
        ],
      },
    ],
    tools: { tools: [{ name: 'fs_read', input_schema: { type: 'object' } }, {}] },
  },
  Bedrock: {
    deployment: (url) => ({ provider: 'bedrock', region: 'eu-west-1', base_url: url, api_key: 'k', model: 'vendor.m' }),
    asks: {
      output: {
        message: {
          role: 'assistant',
          content: [
            { text: 'I read.' },
            { toolUse: { toolUseId: 'c1', name: 'fs_read', input: { path: '/inputs/a' } } },
          ],
        },
      },
      stopReason: 'tool_use',
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      metrics: { latencyMs: 1 },
    },
    media: {
      role: 'user',
      content: [
        { text: 'Look' },
        { image: { format: 'png', source: { bytes: png64 } } },
        { document: { format: 'pdf', source: { bytes: pdf64 } } },
      ],
    },
    conversation: [
      {
        role: 'assistant',
        content: [
          { text: 'I read.' },
          { toolUse: { toolUseId: 'c1', name: 'fs_read', input: { path: '/inputs/a' } } },
          { toolUse: { toolUseId: 'c2', name: 'bifrost_list_tables', input: {} } },
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'c1', content: [{ text: firstResult }] } },
          { toolResult: { toolUseId: 'c2', content: [{ text: '{"tables":[]}' }] } },
        ],
      },
    ],
    tools: { toolConfig: { tools: [{ toolSpec: { name: 'fs_read' } }, {}] } },
  },
};

const request: ModelRequest = {
  route: { kind: 'wyrd_gateway', deployment: 'd' },
  provider: 'any',
  model: 'm',
  system: null,
  messages: [],
  settings: { max_output_tokens: 100 },
  schema: null,
  tools: [],
};

async function send(provider: Provider, change: Partial<ModelRequest>) {
  server = await startProviderServer((response) => sendJson(response, 200, provider.asks));
  const models = createModels({ deployments: new Map([['d', provider.deployment(server.url)]]), native: new Map() });
  const reply = await models.generate({ ...request, ...change }, AbortSignal.timeout(10_000));
  return { reply, body: server.seen[0]?.body as JsonObject & { readonly messages: readonly object[] } };
}

describe.each(Object.entries(providers))('%s', (_, provider) => {
  test('is shown an image and a PDF in its own form', async () => {
    const { body } = await send(provider, { messages: [media] });
    expect(body.messages.at(-1)).toMatchObject(provider.media);
  });

  test('is told what its tools answered, each text as it stands', async () => {
    const { body } = await send(provider, { messages: conversation, tools });
    expect(body.messages.slice(1)).toMatchObject(provider.conversation);
    expect(body).toMatchObject(provider.tools);
  });

  test('asks for a tool by the name we gave it', async () => {
    const { reply } = await send(provider, { messages: [media], tools });
    expect(reply).toMatchObject({
      kind: 'answer',
      text: 'I read.',
      tool_calls: [{ id: 'c1', tool: 'fs.read', arguments: { path: '/inputs/a' } }],
    });
  });
});

describe('what a model thought before it asked for a tool', () => {
  const thinking = (content: readonly Json[]): Json => ({
    ...(providers.Anthropic?.asks as JsonObject),
    content: [...content, { type: 'tool_use', id: 'c1', name: 'fs_read', input: { path: '/inputs/a' } }],
  });

  test('goes back to Anthropic as it was, signature and all', async () => {
    const provider = providers.Anthropic as Provider;
    const thought = { type: 'thinking', thinking: 'I should look.', signature: 's1gn' };
    const hidden = { type: 'redacted_thinking', data: 'x1' };
    const asking = { ...provider, asks: thinking([thought, hidden]) };
    const { reply } = await send(asking, { messages: [media], tools });
    if (reply.kind !== 'answer') throw new Error(reply.kind);
    await server?.close();
    const [call] = reply.tool_calls;
    const parts = (reply.thoughts ?? []).map((one) => ({ kind: 'thought', ...one }) as const);
    const { body } = await send(asking, {
      messages: [
        media,
        {
          role: 'assistant',
          parts: [...parts, { kind: 'tool_call', id: 'c1', tool: 'fs.read', arguments: call?.arguments ?? {} }],
        },
        { role: 'tool', parts: [{ kind: 'tool_result', id: 'c1', tool: 'fs.read', result: 'r' }] },
      ],
      tools,
      settings: { max_output_tokens: 4_000, reasoning_effort: 'low' },
    });
    expect(body.messages[1]).toMatchObject({ content: [thought, hidden, { type: 'tool_use', id: 'c1' }] });
  });
});
