import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StageProxy {
  /** An origin: clients of the contract take no path (docs/spec/wire.md §1.1). */
  readonly url: string;
  close(): Promise<void>;
}

/** Stands where a custom domain stands on AWS: `/x` of the proxy is `/x` of the deployed stage, byte for byte. */
export async function startStageProxy(emulator: string, stageUrl: string, port: number): Promise<StageProxy> {
  // https://<api id>.execute-api.<region>.…/<stage>
  const deployed = new URL(stageUrl);
  const base = `${emulator}/_aws/execute-api/${deployed.hostname.split('.')[0]}${deployed.pathname}`;
  const server = createServer((incoming, outgoing) => forward(base, incoming, outgoing));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function forward(base: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const onward = request(`${base}${incoming.url ?? '/'}`, { method: incoming.method, headers: incoming.headers });
  onward.once('response', (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.once('error', () => {
    if (!outgoing.headersSent) outgoing.writeHead(502);
    outgoing.end();
  });
  incoming.pipe(onward);
}
