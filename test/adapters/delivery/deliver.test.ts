import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { createDeliver, type DeliverOptions } from '#adapters/delivery/deliver.ts';
import { systemClock } from '#adapters/embedded/system.ts';
import type { DeliveryRequest } from '#service/ports/deliver.ts';
import { startScriptedProvider } from '#test/support/scripted-provider.ts';

const signal = new AbortController().signal;

function send(url: string, more: Partial<DeliveryRequest> = {}, options: Partial<DeliverOptions> = {}) {
  const deliver = createDeliver({ clock: systemClock, allowLoopback: true, ...options });
  const request = { method: 'POST', url, headers: {}, body: '{}', timeout_ms: 5_000, expect_status: null, ...more };
  return deliver.send(request, signal);
}

describe('delivery over HTTP', () => {
  it('sends method, path, headers and body as they are, to the screened address with the name as Host', async () => {
    await using provider = await startScriptedProvider([{ status: 202, body: 'taken' }]);
    const url = `http://hooks.example.com:${provider.port}/a%20b?q=%26`;
    const resolve = async () => [{ address: '127.0.0.1', family: 4 as const }];
    const reply = await send(url, { method: 'PATCH', headers: { 'x-desk': 'a' } }, { resolve });
    expect(reply).toEqual({ kind: 'answer', status: 202, retry_after: null, body: 'taken' });
    expect(provider.calls).toMatchObject([{ method: 'PATCH', path: '/a%20b?q=%26', body: '{}' }]);
    expect(provider.calls[0]?.headers).toMatchObject({ host: `hooks.example.com:${provider.port}`, 'x-desk': 'a' });
  });

  it('screens again for each redirect: a name that now leads to a private address is not called', async () => {
    await using provider = await startScriptedProvider([{ status: 307, location: '/next' }]);
    const turns = ['127.0.0.1', '10.0.0.8'];
    const resolve = async () => [{ address: turns.shift() ?? '', family: 4 as const }];
    const url = `http://hooks.example.com:${provider.port}/`;
    expect(await send(url, {}, { resolve })).toEqual({ kind: 'rejected' });
    expect(provider.calls).toHaveLength(1);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'https://other.example.com/',
    'http://localhost:1/',
    '//other.example.com/',
    'http://user:pw@127.0.0.1/',
  ])('does not follow to another origin: %s', async (location) => {
    await using provider = await startScriptedProvider([{ status: 302, location }, { status: 200 }]);
    expect(await send(provider.url)).toEqual({ kind: 'rejected' });
    expect(provider.calls).toHaveLength(1);
  });

  it('follows three redirects of its origin and not a fourth', async () => {
    const hop = { status: 308, location: '/again' };
    await using three = await startScriptedProvider([hop, hop, hop, { status: 204 }]);
    expect(await send(three.url)).toMatchObject({ kind: 'answer', status: 204 });
    expect(three.calls.map(({ method, body }) => [method, body])).toEqual(Array(4).fill(['POST', '{}']));
    await using four = await startScriptedProvider([hop]);
    expect(await send(four.url)).toEqual({ kind: 'rejected' });
    expect(four.calls).toHaveLength(4);
  });

  it.each([301, 302, 303])('%i turns a POST into a GET without a body, as every client does', async (status) => {
    await using provider = await startScriptedProvider([{ status, location: '/done' }, { status: 200 }]);
    expect(await send(provider.url)).toMatchObject({ kind: 'answer', status: 200 });
    expect(provider.calls[1]).toMatchObject({ method: 'GET', path: '/done', body: '' });
  });

  it('takes a redirect without a usable place, and the expected status, as an answer', async () => {
    await using nowhere = await startScriptedProvider([{ status: 302 }]);
    expect(await send(nowhere.url)).toMatchObject({ kind: 'answer', status: 302 });
    await using mail = await startScriptedProvider([{ status: 302, location: 'mailto:a@example.com' }]);
    expect(await send(mail.url)).toMatchObject({ kind: 'answer', status: 302 });
    await using expected = await startScriptedProvider([{ status: 302, location: '/b' }]);
    expect(await send(expected.url, { expect_status: 302 })).toMatchObject({ kind: 'answer', status: 302 });
    expect(expected.calls).toHaveLength(1);
  });

  it.each([{ hang: true }, { stalls_after: 10 }, { stalls_after: 0 }])(
    'a provider that takes too long is given up as a whole: %o',
    async (line) => {
      await using provider = await startScriptedProvider([line]);
      const began = performance.now();
      expect(await send(provider.url, { timeout_ms: 200 })).toEqual({ kind: 'timed_out' });
      expect(performance.now() - began).toBeLessThan(2_000);
    },
  );

  it('one slow redirect after another shares one timeout', async () => {
    await using provider = await startScriptedProvider([{ status: 307, location: '/b' }, { hang: true }]);
    expect(await send(provider.url, { timeout_ms: 200 })).toEqual({ kind: 'timed_out' });
  });

  it('a name that is never resolved is given up as well', async () => {
    const resolve = () => new Promise<never>(() => {});
    expect(await send('https://hooks.example.com/', { timeout_ms: 50 }, { resolve })).toEqual({ kind: 'timed_out' });
  });

  it('reads 64 KiB of a body without end, and closes', async () => {
    await using provider = await startScriptedProvider([{ endless: true }]);
    const reply = await send(provider.url);
    expect(reply).toMatchObject({ kind: 'answer', status: 200 });
    expect(reply.kind === 'answer' && reply.body.length).toBe(65_536);
    const sent = provider.sent();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(provider.sent() - sent).toBeLessThan(4_000_000);
  });

  it.each([
    'not http\r\n\r\n',
    `HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(100_000)}\r\n\r\n`,
    'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf',
    'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    '',
  ])('what is no answer is a broken channel (%#)', async (raw) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(raw));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await send(`http://127.0.0.1:${port}/`)).toEqual({ kind: 'unreachable' });
    await new Promise((resolve) => server.close(resolve));
  });

  it('ignores proxies of the environment', async () => {
    await using proxy = await startScriptedProvider([{ status: 500 }]);
    await using provider = await startScriptedProvider([{ status: 204 }]);
    vi.stubEnv('HTTP_PROXY', proxy.url);
    vi.stubEnv('http_proxy', proxy.url);
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    try {
      expect(await send(provider.url)).toMatchObject({ kind: 'answer', status: 204 });
    } finally {
      vi.unstubAllEnvs();
    }
    expect(proxy.calls).toHaveLength(0);
  });

  it('stops with the reason of whoever stops it', async () => {
    await using provider = await startScriptedProvider([{ hang: true }]);
    const stop = new AbortController();
    const deliver = createDeliver({ clock: systemClock, allowLoopback: true });
    const base = { method: 'GET', headers: {}, body: null, timeout_ms: 5_000, expect_status: null };
    const sent = deliver.send({ ...base, url: provider.url }, stop.signal);
    await provider.hung();
    stop.abort(new Error('the host stops'));
    await expect(sent).rejects.toThrow('the host stops');
  });
});
