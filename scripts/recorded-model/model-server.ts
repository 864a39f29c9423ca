import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findRecording, type Recording } from './recordings.ts';
import { type AskedOf, readAsked, requestKey } from './request-key.ts';

export interface RecordedModel {
  /** Base URL of the API, as a deployment's `base_url` takes it. */
  readonly url: string;
  /** Requests that no recording answers, in order. */
  readonly unanswered: readonly AskedOf[];
  close(): Promise<void>;
}

const maxBodyBytes = 4 * 1024 * 1024;

/**
 * A model provider without a model: speaks the OpenAI chat-completions protocol on loopback and replays recorded answers.
 * A request that was never recorded is answered with 404, so a changed prompt or letter cannot pass unnoticed.
 */
export async function startRecordedModel(recordings: readonly Recording[], port = 0): Promise<RecordedModel> {
  const unanswered: AskedOf[] = [];
  const server = createServer((request, response) => {
    answer(recordings, unanswered, request, response).catch(() =>
      reply(response, 400, { error: { message: 'not a request' } }),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    unanswered,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  recordings: readonly Recording[],
  unanswered: AskedOf[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    return reply(response, 404, { error: { message: 'only POST /v1/chat/completions is replayed' } });
  }
  const asked = readAsked(JSON.parse(await readBody(request)));
  if (asked === undefined) return reply(response, 400, { error: { message: 'not a chat-completions request' } });
  const recording = findRecording(recordings, asked);
  if (recording === undefined) {
    unanswered.push(asked);
    const message = `no recording of this request (${requestKey(asked).slice(0, 12)}): prompt or evidence changed since it was recorded`;
    return reply(response, 404, { error: { message, type: 'not_recorded' } });
  }
  reply(response, 200, completion(recording));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.byteLength;
    if (size > maxBodyBytes) throw new Error('the request is too large');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function completion(recording: Recording): unknown {
  return {
    id: `recorded-${requestKey(recording).slice(0, 12)}`,
    object: 'chat.completion',
    created: 0,
    model: recording.model,
    choices: [
      { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: JSON.stringify(recording.answer) } },
    ],
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  };
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
