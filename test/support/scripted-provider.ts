import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the provider does with the n-th request. */
export interface ProviderAnswer {
  readonly status?: number;
  readonly retry_after?: string;
  readonly location?: string;
  readonly body?: string;
  /** Never answers. */
  readonly hang?: boolean;
  readonly fail?: string;
  /** Sends this many bytes, then waits for ever. */
  readonly stalls_after?: number;
  /** Sends bytes until the other side has enough. */
  readonly endless?: boolean;
}

export interface ProviderCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ScriptedProvider extends AsyncDisposable {
  /** Origin on loopback. */
  readonly url: string;
  readonly port: number;
  readonly calls: readonly ProviderCall[];
  /** Bytes that were taken from it by endless answers. */
  readonly sent: () => number;
  /** Resolves when a request hangs. */
  hung(): Promise<void>;
}

/** A provider on loopback that follows a script; the last line again and again. */
export async function startScriptedProvider(
  answer: readonly ProviderAnswer[] | ((call: ProviderCall) => ProviderAnswer),
): Promise<ScriptedProvider> {
  const calls: ProviderCall[] = [];
  let hanging = Promise.withResolvers<void>();
  let sent = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = request;
    const call = { method, path, headers, body: Buffer.concat(chunks).toString('utf8') };
    calls.push(call);
    const line = typeof answer === 'function' ? answer(call) : answer[Math.min(calls.length, answer.length) - 1];
    if (line?.hang) hanging.resolve();
    else await follow(line ?? {}, response, (bytes) => (sent += bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    calls,
    sent: () => sent,
    async hung() {
      await hanging.promise;
      hanging = Promise.withResolvers<void>();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function follow(line: ProviderAnswer, response: ServerResponse, note: (bytes: number) => void): Promise<void> {
  const { status = 200, retry_after, location, body = '', fail, stalls_after, endless } = line;
  if (fail === 'connection-reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  response.writeHead(status, {
    ...(retry_after === undefined ? {} : { 'retry-after': retry_after }),
    ...(location === undefined ? {} : { location }),
  });
  if (stalls_after !== undefined) response.write('x'.repeat(stalls_after));
  else if (endless) await pour(response, note);
  else response.end(body);
}

async function pour(response: ServerResponse, note: (bytes: number) => void): Promise<void> {
  const chunk = 'x'.repeat(16_384);
  let open = true;
  response.on('close', () => {
    open = false;
  });
  while (open) {
    note(chunk.length);
    if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
}
