import { Writable } from 'node:stream';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import { serveHttp, toRequest } from '../../lambdas/compose/serve-http.ts';

/** An event as API Gateway sends it, shortened to what any handler may read. */
function event(given: Partial<APIGatewayProxyEvent> = {}): APIGatewayProxyEvent {
  return {
    resource: '/{proxy+}',
    path: '/v1/cards',
    httpMethod: 'GET',
    headers: { Host: 'abc.execute-api.eu-west-1.amazonaws.com' },
    multiValueHeaders: { Host: ['abc.execute-api.eu-west-1.amazonaws.com'] },
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    stageVariables: null,
    requestContext: { domainName: 'abc.execute-api.eu-west-1.amazonaws.com', stage: 'live' } as never,
    body: null,
    isBase64Encoded: false,
    ...given,
  };
}

/** The runtime's global, as far as a handler uses it; remembers when the status line was sent. */
function runtime() {
  const sent = { status: 0, headers: {} as Record<string, string>, body: Buffer.alloc(0) };
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      sent.body = Buffer.concat([sent.body, chunk]);
      done();
    },
  });
  vi.stubGlobal('awslambda', {
    streamifyResponse: (handler: unknown) => handler,
    HttpResponseStream: {
      from: (out: Writable, meta: { statusCode: number; headers: Record<string, string> }) => {
        Object.assign(sent, { status: meta.statusCode, headers: meta.headers });
        return out;
      },
    },
  });
  return { sent, stream: stream as never };
}

describe('requests', () => {
  it('keep every value of a header and of a query', () => {
    const request = toRequest(
      event({
        multiValueHeaders: { 'x-wyrd-workload-uid': ['a', 'b'] },
        multiValueQueryStringParameters: { limit: ['1', '2'], name: ['a b&c'] },
      }),
    );
    expect(request.headers.get('x-wyrd-workload-uid')).toBe('a, b');
    expect(new URL(request.url).searchParams.getAll('limit')).toEqual(['1', '2']);
    expect(new URL(request.url).searchParams.get('name')).toBe('a b&c');
  });

  it('bring a body byte for byte', async () => {
    const bytes = Buffer.from([0x22, 0xff, 0x00, 0x22]);
    const sent = event({ httpMethod: 'POST', body: bytes.toString('base64'), isBase64Encoded: true });
    expect(Buffer.from(await toRequest(sent).arrayBuffer())).toEqual(bytes);
  });

  it('cannot smuggle a query or a fragment in their path', () => {
    const { pathname, search } = new URL(toRequest(event({ path: '/v1/cards/a?limit=1#x' })).url);
    expect([pathname, search]).toEqual(['/v1/cards/a%3Flimit=1%23x', '']);
  });
});

describe('answers', () => {
  it('send their status line when the outcome is known, and not before', async () => {
    const { sent, stream } = runtime();
    const outcome = Promise.withResolvers<Response>();
    const handler = serveHttp({ fetch: () => outcome.promise });
    const handling = handler(event(), stream, {} as never);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sent.status).toBe(0);
    outcome.resolve(new Response('{"a":1}', { status: 504, headers: { 'content-type': 'application/problem+json' } }));
    await handling;
    expect([sent.status, sent.headers['content-type'], sent.body.toString()]).toEqual([
      504,
      'application/problem+json',
      '{"a":1}',
    ]);
  });

  it('carry more than a buffered answer may', async () => {
    const { sent, stream } = runtime();
    const text = 'x'.repeat(8_000_000);
    await serveHttp({ fetch: () => new Response(text) })(event(), stream, {} as never);
    expect(sent.body.byteLength).toBe(text.length);
  });

  it.each([
    ['https://console.example.com', 'https://console.example.com'],
    ['https://evil.example.com', undefined],
  ])('tell a page of %s what it may read', async (origin, allowed) => {
    const { sent, stream } = runtime();
    const handler = serveHttp({ fetch: () => new Response('') }, ['https://console.example.com']);
    await handler(event({ headers: { origin } }), stream, {} as never);
    expect(sent.headers['access-control-allow-origin']).toBe(allowed);
  });
});
