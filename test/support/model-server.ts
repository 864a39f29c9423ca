import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json, JsonObject } from '#contract/json.ts';
import type { Reply } from './conformance-case.ts';

/**
 * A model provider that speaks the OpenAI chat-completions protocol over HTTP and answers from a script, one list an
 * agent (`/agents/<name>/v1/chat/completions`), the last answer repeating.
 */
export interface ModelServer {
  readonly url: (agent: string) => string;
  readonly requests: (agent: string) => readonly JsonObject[];
  close(): Promise<void>;
}

export async function startModelServer(replies: Readonly<Record<string, readonly Reply[]>>): Promise<ModelServer> {
  const seen = new Map<string, JsonObject[]>();
  const server: Server = createServer((request, response) => {
    void serve(replies, seen, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (agent) => `http://127.0.0.1:${port}/agents/${agent}/v1`,
    requests: (agent) => seen.get(agent) ?? [],
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function serve(
  replies: Readonly<Record<string, readonly Reply[]>>,
  seen: Map<string, JsonObject[]>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const agent = /^\/agents\/([^/]+)\/v1\/chat\/completions$/.exec(request.url ?? '')?.[1] ?? '';
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as JsonObject;
  const made = [...(seen.get(agent) ?? []), body];
  seen.set(agent, made);
  const script = replies[agent] ?? [];
  const reply = script[Math.min(made.length, script.length) - 1] ?? { status: 404 };
  if (reply.hang) return;
  if (reply.close) {
    request.socket.destroy();
    return;
  }
  const status = reply.status ?? 200;
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(reply.retry_after !== undefined && { 'retry-after': String(reply.retry_after) }),
  });
  if (reply.raw !== undefined) response.end(typeof reply.raw === 'string' ? reply.raw : JSON.stringify(reply.raw));
  else response.end(JSON.stringify(status === 200 ? completion(body, reply) : { error: { message: 'scripted' } }));
}

function completion(body: JsonObject, reply: Reply): Json {
  const message =
    reply.refusal === undefined
      ? { role: 'assistant', content: textOf(reply) }
      : { role: 'assistant', content: null, refusal: reply.refusal };
  return {
    id: 'scripted',
    object: 'chat.completion',
    created: 0,
    model: body.model ?? 'scripted',
    choices: [{ index: 0, finish_reason: 'stop', message }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

function textOf(reply: Reply): string {
  if (reply.text_template === undefined) return reply.text ?? '';
  const data = reply.text_template === 'data-string' ? { s: 'x'.repeat(reply.length ?? 0) } : nested(reply.depth ?? 1);
  const citations = [{ slot: 'doc', locator: { json_pointer: '' } }];
  return JSON.stringify({ outcome: 'passed', reason: 'stub', citations, data });
}

function nested(depth: number): JsonObject {
  return depth <= 1 ? {} : { n: nested(depth - 1) };
}
