import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';

export interface Listening {
  readonly url: string;
  /** Takes no new calls; after `graceMs` runs `hurry` and drops what is still open. */
  close(graceMs: number, hurry: () => void): Promise<void>;
}

/** Serves the app over HTTP on one address. Rejects when the address is taken. */
export async function listen(app: Hono, address: { readonly host: string; readonly port: number }): Promise<Listening> {
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  // A sender that dribbles its request does not hold a connection for ever.
  server.requestTimeout = 120_000;
  server.headersTimeout = 20_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  const name = address.host.includes(':') ? `[${address.host}]` : address.host;
  return { url: `http://${name}:${port}`, close: (graceMs, hurry) => closeServer(server, graceMs, hurry) };
}

async function closeServer(server: Server, graceMs: number, hurry: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => {
    hurry();
    // Answers of the calls that were just cancelled still go out.
    setTimeout(() => server.closeAllConnections(), 500).unref();
  }, graceMs);
  await closed;
  clearTimeout(timer);
}
