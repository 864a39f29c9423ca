import { type Context, Hono } from 'hono';
import { Problem } from '#contract/errors.ts';
import { isUuidV7 } from '#contract/ids.ts';
import { authenticate } from '#service/auth/authenticate.ts';
import { type Principal, requirePermission } from '#service/auth/principal.ts';
import type { HostPorts } from '#service/ports/host.ts';
import { checkSchema } from './check-schema.ts';
import { bearerToken, isLoopbackHost } from './credentials.ts';
import { problemResponse } from './problem-response.ts';
import { bodyStream, parseBody, readBytes } from './read-body.ts';
import type { Answer, BodyRule, Call, Route } from './route.ts';
import { routes } from './routes/index.ts';

/** The HTTP surface of a host: every route of the table behind one door. */
export function buildApp(ports: HostPorts): Hono {
  const app = new Hono();
  for (const route of routes) {
    app.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ':$1'), (context) => answer(ports, route, context));
  }
  app.notFound((context) => {
    const unknown = new Problem('WYRD_SPEC_404_NOT_FOUND', 'no such route');
    return problemResponse(unknown, requestIdOf(context, ports), ports.log);
  });
  return app;
}

/** Credential, permission, body, handler: in this order, so that a refused caller costs and learns nothing. */
async function answer(ports: HostPorts, route: Route, context: Context): Promise<Response> {
  const requestId = requestIdOf(context, ports);
  try {
    const header = (name: string) => context.req.header(name) ?? null;
    await refuseForeignNames(ports, header);
    const principal = await admit(ports, route, header);
    const query = route.query ? checkSchema(route.query, queryOf(context), 'query ') : undefined;
    const call: Call<unknown, unknown> = {
      ports,
      // Public handlers are typed without it; the table's one type has it.
      principal: principal ?? nobody,
      parameters: context.req.param() as Record<string, string>,
      header,
      request_id: requestId,
      query,
      body: await readBody(context.req.raw, route.body),
    };
    return toResponse(await route.handle(call), requestId);
  } catch (error) {
    return problemResponse(error, requestId, ports.log);
  }
}

const nobody: Principal = { tenant: '', id: '', permissions: new Set(), verifier_uids: null, card_uid: null };

async function admit(
  ports: HostPorts,
  route: Route,
  header: (name: string) => string | null,
): Promise<Principal | null> {
  if (route.access === 'public') return null;
  const principal = await authenticate(ports, bearerToken(header));
  requirePermission(principal, route.access.any_of);
  return principal;
}

/** Without keys everyone is administrator, so only names of this machine are answered (docs/spec/wire.md §2.6). */
async function refuseForeignNames(ports: HostPorts, header: (name: string) => string | null): Promise<void> {
  if (isLoopbackHost(header('host')) || (await ports.keys.any())) return;
  throw new Problem('WYRD_PERMISSION_403_DENIED_RBAC', 'a host without keys answers to loopback names only');
}

function requestIdOf(context: Context, ports: HostPorts): string {
  const sent = context.req.header('wyrd-request-id');
  return sent !== undefined && isUuidV7(sent) ? sent : ports.ids.next();
}

/** A name that is given twice is refused: which one counts would depend on the reader. */
function queryOf(context: Context): Record<string, string> {
  const entries = Object.entries(context.req.queries());
  const twice = entries.find(([, values]) => values.length > 1);
  if (twice) throw new Problem('WYRD_SPEC_400_VALIDATION', `query: ${twice[0].slice(0, 64)} is given twice`);
  return Object.fromEntries(entries.map(([name, values]) => [name, values[0] ?? '']));
}

async function readBody(request: Request, rule: BodyRule<unknown>): Promise<unknown> {
  switch (rule.kind) {
    case 'none':
      return undefined;
    case 'stream':
      return bodyStream(request);
    case 'bytes':
      return readBytes(request, rule.limit, 'WYRD_SPEC_413_PAYLOAD_TOO_LARGE');
    case 'form':
      return formOf(await readBytes(request, rule.limit, 'WYRD_SPEC_413_PAYLOAD_TOO_LARGE'));
    case 'json': {
      const tooLarge =
        rule.rules === 'evidence' ? 'WYRD_VERIFICATION_413_INPUT_TOO_LARGE' : 'WYRD_SPEC_413_PAYLOAD_TOO_LARGE';
      const bytes = await readBytes(request, rule.limit, tooLarge);
      return checkSchema(rule.schema, parseBody(bytes, rule.rules), 'body ');
    }
  }
}

/** The first value of each name; unknown names are the use case's to ignore. */
function formOf(bytes: Uint8Array): ReadonlyMap<string, string> {
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(Buffer.from(bytes).toString('utf8'))) {
    if (!form.has(name)) form.set(name, value);
  }
  return form;
}

function toResponse(answered: Answer, requestId: string): Response {
  const headers = { 'cache-control': 'no-store', 'wyrd-request-id': requestId };
  if ('bytes' in answered) {
    const body = new Uint8Array(answered.bytes);
    return new Response(body, { status: 200, headers: { ...headers, 'content-type': answered.content_type } });
  }
  const text = 'text' in answered ? answered.text : JSON.stringify(answered.json);
  return new Response(text, {
    status: answered.status ?? 200,
    headers: { ...headers, 'content-type': 'application/json' },
  });
}
