import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeliver } from '#adapters/delivery/deliver.ts';
import { exchange } from '#adapters/delivery/exchange.ts';
import { systemClock } from '#adapters/embedded/system.ts';

describe('delivery over TLS', () => {
  const names: (string | false | null)[] = [];
  let ca = '';
  let port = 0;
  let close = () => {};
  beforeAll(async () => {
    const read = (name: string) => readFile(`test/fixtures/tls/hooks.${name}.pem`, 'utf8');
    ca = await read('cert');
    const server = createServer({ key: await read('key'), cert: ca }, (request, response) => {
      names.push((request.socket as TLSSocket).servername ?? null);
      response.end('taken');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
    close = () => void server.close();
  });
  afterAll(() => close());

  const send = (host: string, trusted?: string) => {
    const deliver = createDeliver({
      clock: systemClock,
      allowLoopback: true,
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      exchange: (given, signal) => exchange({ ...given, ca: trusted }, signal),
    });
    const request = { method: 'POST', headers: {}, body: '{}', timeout_ms: 5_000, expect_status: null };
    return deliver.send({ ...request, url: `https://${host}:${port}/` }, new AbortController().signal);
  };

  it('asks for the name of the URL at the screened address, and checks the certificate against it', async () => {
    expect(await send('hooks.example.com', ca)).toMatchObject({ kind: 'answer', status: 200, body: 'taken' });
    expect(names).toEqual(['hooks.example.com']);
  });

  it.each([
    ['of another name', 'other.example.com', true],
    ['of an address', '127.0.0.1', true],
    ['that nobody trusts', 'hooks.example.com', false],
  ])('sends nothing to a certificate %s', async (_what, host, trusted) => {
    const before = names.length;
    expect(await send(host, trusted ? ca : undefined)).toEqual({ kind: 'unreachable' });
    expect(names).toHaveLength(before);
  });
});
