import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { inCall } from './call-ids.ts';

/** What a host answers with: `buildApp` of src/http. */
interface App {
  fetch(request: Request): Response | Promise<Response>;
}

/**
 * A Hono app behind API Gateway's response streaming. The status line is sent when the response exists, which is when
 * the outcome is known; a client that waits 60 s sees a silent connection, never an early 200.
 */
export function serveHttp(app: App, corsOrigins: readonly string[] = []) {
  return awslambda.streamifyResponse<APIGatewayProxyEvent>((event, stream, context) =>
    inCall({ aws_request_id: context.awsRequestId }, async () => {
      const response = await app.fetch(toRequest(event));
      const headers = { ...Object.fromEntries(response.headers), ...corsHeaders(event, corsOrigins) };
      const out = awslambda.HttpResponseStream.from(stream, { statusCode: response.status, headers });
      const body = response.body === null ? Readable.from([]) : Readable.from(chunksOf(response.body));
      await pipeline(body, out);
    }),
  );
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

/** Headers with several values and queries with repeated names keep them all: the app refuses what must be single. */
export function toRequest(event: APIGatewayProxyEvent): Request {
  const headers = new Headers(pairsOf(event.multiValueHeaders));
  const query = new URLSearchParams(pairsOf(event.multiValueQueryStringParameters));
  const search = query.size === 0 ? '' : `?${query}`;
  const host = event.requestContext.domainName ?? headers.get('host') ?? 'localhost';
  // The path arrives decoded: what would end it in a URL is part of it.
  const path = event.path.replaceAll('?', '%3F').replaceAll('#', '%23');
  const { httpMethod: method } = event;
  const body = bodyOf(event);
  return new Request(`https://${host}${path}${search}`, { method, headers, ...(body === null ? {} : { body }) });
}

function pairsOf(lists: Readonly<Record<string, string[] | undefined>> | null): [name: string, value: string][] {
  return Object.entries(lists ?? {}).flatMap(([name, values]) =>
    (values ?? []).map((value): [string, string] => [name, value]),
  );
}

/** A GET with a body cannot be a Request; no route reads one. */
function bodyOf({ body, isBase64Encoded, httpMethod }: APIGatewayProxyEvent): Buffer<ArrayBuffer> | null {
  if (body === null || httpMethod === 'GET' || httpMethod === 'HEAD') return null;
  return Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
}

/** Answers to web pages of the configured origins; the preflight is answered by API Gateway itself. */
function corsHeaders(event: APIGatewayProxyEvent, origins: readonly string[]): Record<string, string> {
  const origin = event.headers?.origin ?? event.headers?.Origin;
  if (origin === undefined || !origins.includes(origin)) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'wyrd-request-id, retry-after',
    vary: 'origin',
  };
}
