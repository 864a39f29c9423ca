import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createClient, TouchstoneError } from '#sdk/index.ts';

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

type Scripted = { readonly status: number; readonly body?: unknown } | { readonly fails: unknown };

const page = { status: 200, body: { items: [], next_cursor: null } };
const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });

/** A client whose service answers from a script (the last answer repeats), whose pauses are noted and whose clock stands. */
function scripted(
  answers: readonly Scripted[],
  options: { readonly tokenLife?: number; readonly prefix?: string } = {},
) {
  const seen: Seen[] = [];
  const pauses: number[] = [];
  const clock = { now: 1_000_000 };
  let exchanges = 0;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const call = {
      method: request.method,
      path: new URL(request.url).pathname,
      headers: request.headers,
      body: await request.text(),
    };
    if (call.path.endsWith('/auth/token')) {
      exchanges += 1;
      return Response.json({
        access_token: `token-${exchanges}`,
        token_type: 'Bearer',
        expires_in: options.tokenLife ?? 3600,
      });
    }
    const answer = answers[Math.min(seen.push(call), answers.length) - 1];
    if (!answer) throw new Error('nothing scripted');
    if ('fails' in answer) throw new TypeError('fetch failed', { cause: answer.fails });
    return Response.json(answer.body ?? { code: `WYRD_SPEC_${answer.status}_X`, detail: 'no' }, {
      status: answer.status,
    });
  };
  const client = createClient({
    url: `http://127.0.0.1:1${options.prefix ?? ''}`,
    apiKey: 'key',
    fetch,
    sleep: async (ms) => void pauses.push(ms),
    now: () => clock.now,
  });
  return { client, seen, pauses, clock, exchanges: () => exchanges };
}

const uid = '01890a5d-ac96-774b-bcce-b302099a8057';
const calls = {
  read: (client: ReturnType<typeof createClient>) => client.listExecutions(),
  declare: (client: ReturnType<typeof createClient>) => client.declare([]),
  execute: (client: ReturnType<typeof createClient>) => client.execute({ verifier_card_uid: uid, card_uid: uid }),
};

describe('retries of docs/spec/wire.md §1.5', () => {
  const table: readonly [string, keyof typeof calls, Scripted, number][] = [
    ['a read after a 500', 'read', { status: 500 }, 3],
    ['a read after a 429', 'read', { status: 429 }, 3],
    ['a read after a 408', 'read', { status: 408 }, 3],
    ['a read after a lost connection', 'read', { fails: reset }, 3],
    ['a declaration after a 503: it has a key', 'declare', { status: 503 }, 3],
    ['execute after a 500', 'execute', { status: 500 }, 1],
    ['execute after a 429', 'execute', { status: 429 }, 1],
    ['execute after a connection that broke', 'execute', { fails: reset }, 1],
    ['execute without a connection', 'execute', { fails: refused }, 3],
    ['a read after a 404', 'read', { status: 404 }, 1],
    ['a read after a 409', 'read', { status: 409 }, 1],
  ];
  test.each(table)('%s', async (_title, call, answer, attempts) => {
    const service = scripted([answer]);
    await expect(calls[call](service.client)).rejects.toBeInstanceOf(TouchstoneError);
    expect(service.seen).toHaveLength(attempts);
    expect(service.pauses).toEqual([100, 1_000].slice(0, attempts - 1));
    const ids = new Set(service.seen.map(({ headers }) => headers.get('wyrd-request-id')));
    expect([...ids]).toEqual([expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)]);
    const keys = new Set(service.seen.map(({ headers }) => headers.get('idempotency-key')));
    expect(keys.size).toBe(1);
  });

  test('the second attempt may succeed', async () => {
    const service = scripted([{ status: 502 }, page]);
    expect(await service.client.listExecutions()).toEqual(page.body);
    expect(service.pauses).toEqual([100]);
  });

  test('every call has its own request id', async () => {
    const service = scripted([page]);
    await service.client.listExecutions();
    await service.client.listExecutions();
    expect(new Set(service.seen.map(({ headers }) => headers.get('wyrd-request-id'))).size).toBe(2);
  });
});

describe('access tokens', () => {
  test('are exchanged once for calls at the same time, and sent in their own header', async () => {
    const service = scripted([page]);
    await Promise.all([service.client.listExecutions(), service.client.listExecutions()]);
    expect(service.exchanges()).toBe(1);
    expect(service.seen.map(({ headers }) => headers.get('x-wyrd-access-token'))).toEqual([
      'Bearer token-1',
      'Bearer token-1',
    ]);
  });

  test.each([
    [29_999, 1],
    [30_000, 2],
  ])('a token of 60 s after %d ms means %d exchanges', async (passed, exchanges) => {
    const service = scripted([page], { tokenLife: 60 });
    await service.client.listExecutions();
    service.clock.now += passed;
    await service.client.listExecutions();
    expect(service.exchanges()).toBe(exchanges);
  });

  test('a 401 forces one exchange and one repeat, also of execute', async () => {
    const service = scripted([{ status: 401 }]);
    await expect(calls.execute(service.client)).rejects.toMatchObject({ status: 401 });
    expect(service.exchanges()).toBe(2);
    expect(service.seen.map(({ headers }) => headers.get('x-wyrd-access-token'))).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });

  test('an access token given is used as it is', async () => {
    const { seen, client } = (() => {
      const service: Seen[] = [];
      const fetch: typeof globalThis.fetch = async (input, init) => {
        const request = new Request(input, init);
        service.push({ method: request.method, path: request.url, headers: request.headers, body: '' });
        return Response.json({}, { status: 401 });
      };
      return { seen: service, client: createClient({ url: 'https://touchstone.example', accessToken: 'mine', fetch }) };
    })();
    await expect(client.listExecutions()).rejects.toMatchObject({ status: 401 });
    expect(seen.map(({ headers }) => headers.get('x-wyrd-access-token'))).toEqual(['Bearer mine']);
  });
});

describe('what comes back', () => {
  test('a problem document becomes a TouchstoneError with everything in it', async () => {
    const problem = {
      code: 'WYRD_SPEC_400_VALIDATION',
      detail: 'no',
      details: {
        rule: 'slot',
        findings: [{ code: 'WYRD_SPEC_400_VALIDATION', path: 'inputs.a', rule: 'slot', message: 'm' }, 7],
      },
      remediation: 'do',
    };
    const error = await calls
      .declare(scripted([{ status: 400, body: problem }]).client)
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: problem.code,
      status: 400,
      detail: 'no',
      details: problem.details,
      remediation: 'do',
    });
    expect((error as TouchstoneError).findings).toEqual([
      { code: problem.code, path: 'inputs.a', rule: 'slot', message: 'm' },
    ]);
  });

  test.each([
    ['no JSON', { status: 502, body: 'oops' }, 'TOUCHSTONE_502_UNKNOWN'],
    [
      'an OAuth refusal',
      { status: 400, body: { error: 'invalid_grant', error_description: 'd', code: 'WYRD_AUTH_401_API_KEY_INVALID' } },
      'WYRD_AUTH_401_API_KEY_INVALID',
    ],
    [
      'a code that this client does not know',
      { status: 418, body: { code: 'TOUCHSTONE_418_TEAPOT' } },
      'TOUCHSTONE_418_TEAPOT',
    ],
    ['a 200 of another form', { status: 200, body: { items: 7 } }, 'TOUCHSTONE_CLIENT_BAD_ANSWER'],
    ['no connection', { fails: refused }, 'TOUCHSTONE_CLIENT_NO_CONNECTION'],
  ])('%s', async (_title, answer, code) => {
    await expect(calls.read(scripted([answer]).client)).rejects.toMatchObject({ code });
  });

  test.each([
    [200, 'TOUCHSTONE_CLIENT_BAD_ANSWER'],
    [404, 'TOUCHSTONE_404_UNKNOWN'],
  ])('an answer %d that never ends is given up', async (status, code) => {
    let sent = 0;
    const chunk = new TextEncoder().encode(' '.repeat(1_048_576));
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += 1;
          controller.enqueue(chunk);
        },
      });
    const client = createClient({
      url: 'http://127.0.0.1:1',
      accessToken: 'x',
      fetch: async () => new Response(endless(), { status }),
    });
    await expect(client.listExecutions()).rejects.toMatchObject({ code });
    expect(sent).toBeLessThan(70);
  });

  test('a base URL may have a path', async () => {
    const service = scripted([page], { prefix: '/prod/' });
    await service.client.listExecutions({ verdict: 'failed', limit: 2 });
    expect(service.seen[0]?.path).toBe('/prod/v1/verification/executions');
  });

  test.each(['http://touchstone.example', 'https://user:secret@touchstone.example', 'ftp://127.0.0.1', 'nonsense'])(
    'the URL %s is refused',
    (url) => expect(() => createClient({ url })).toThrow(TypeError),
  );
});

describe('over a real connection', () => {
  test('a server that hangs ends in a time-out, a redirect is not followed, an abort is an abort', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/health') response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const quick = { url, accessToken: 'x', sleep: async () => {} };
    await expect(createClient({ ...quick, timeoutMs: 30 }).listExecutions()).rejects.toMatchObject({
      code: 'TOUCHSTONE_CLIENT_TIMEOUT',
    });
    await expect(createClient(quick).health()).rejects.toMatchObject({ code: 'TOUCHSTONE_CLIENT_NO_CONNECTION' });
    const request = { verifier_card_uid: uid, card_uid: uid };
    await expect(createClient(quick).execute(request, { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    server.closeAllConnections();
    server.close();
  });
});
