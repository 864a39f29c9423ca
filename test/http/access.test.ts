import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '#http/routes/index.ts';
import { rolePermissions } from '#service/auth/permissions.ts';
import { type CallOptions, desk, makeHost, type TestHost, uidsOf, uniqueKey } from '#test/support/embedded-host.ts';

/** Every route of the table with something in place of its parameters, and a body of the right kind. */
function attempt(route: (typeof routes)[number], ids: Readonly<Record<string, string>> = {}): [string, CallOptions] {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => ids[name] ?? samples[name] ?? 'x');
  const query = route.path.endsWith('/by-ref') ? '?kind=Service&name=desk&version=1.0.0' : '';
  const download = route.path.endsWith('/local') ? `?card_uid=${v7()}&relative_path=a` : '';
  const headers = { 'idempotency-key': uniqueKey() };
  if (route.method === 'GET' || route.method === 'DELETE') return [path + query + download, { headers }];
  const part = route.path.endsWith('/part-url') ? '?part_number=1' : '';
  return [path + part, { headers, body: Object.hasOwn(bodies, route.path) ? bodies[route.path] : {} }];
}

const samples: Readonly<Record<string, string>> = {
  kind: 'Service',
  uid: v7(),
  name: 'desk',
  space: 'default',
  card_uid: v7(),
  execution_id: v7(),
  binding_id: v7(),
  upload_id: `wyu_${v7()}`,
};

const bodies: Readonly<Record<string, unknown>> = {
  '/v1/verification/execute': { verifier_card_uid: v7(), card_uid: v7() },
  '/v1/verification/evidence': { files: [] },
  '/v1/cards': { submissions: desk() },
  '/v1/cards/{card_uid}/complete': null,
  '/v1/cards/download/init': { card_uid: v7(), relative_path: 'a' },
  '/v1/cards/upload/{upload_id}/complete': { protocol: 'single_put', data: {} },
};

const guarded = routes.filter((route) => route.access !== 'public');
const names = guarded.map((route) => [`${route.method} ${route.path}`, route] as const);

describe('access to every route', () => {
  let host: TestHost;
  const tokens: Record<string, string> = {};

  beforeAll(async () => {
    host = await makeHost();
    for (const role of ['viewer', 'workload', 'editor', 'admin'] as const) {
      tokens[role] = await host.token(await host.key({ role }));
    }
    tokens.stranger = await host.token(await host.key({ tenant: 'stranger' }));
  });
  afterAll(() => host[Symbol.asyncDispose]());

  it('walks the whole table', () => {
    expect(guarded.length).toBeGreaterThan(15);
    expect(
      routes
        .filter((route) => route.access === 'public')
        .map((route) => route.path)
        .sort(),
    ).toEqual([
      '/.well-known/touchstone/keys.json',
      '/auth/token',
      '/health',
      '/openapi.json',
      '/ready',
      '/v1/schemas/{name}',
    ]);
  });

  it.each(names)('%s without a credential is 401', async (_name, route) => {
    const [path, options] = attempt(route);
    const answered = await host.call(route.method, path, { ...options, token: null });
    expect(answered.status).toBe(401);
    expect(answered.json.code).toBe('WYRD_AUTH_401_UNAUTHENTICATED');
    expect(answered.headers.get('content-type')).toBe('application/problem+json');
  });

  it.each(names)('%s with a forged token is 401', async (_name, route) => {
    const [path, options] = attempt(route);
    const forged = `${tokens.admin!.split('.').slice(0, 2).join('.')}.${'A'.repeat(43)}`;
    const answered = await host.call(route.method, path, { ...options, token: forged });
    expect([answered.status, answered.json.code]).toEqual([401, 'WYRD_AUTH_401_INVALID_TOKEN']);
  });

  it.each(names)('%s without the permission is 403, with it is not', async (_name, route) => {
    const needed = route.access === 'public' ? [] : route.access.any_of;
    for (const role of ['viewer', 'workload', 'editor', 'admin'] as const) {
      const [path, options] = attempt(route);
      const { status } = await host.call(route.method, path, { ...options, token: tokens[role]! });
      const allowed = needed.some((permission) => rolePermissions[role].includes(permission));
      if (allowed) expect(status, role).not.toBe(403);
      else expect(status, role).toBe(403);
    }
  });

  it("answers another tenant's ids exactly as unknown ones", async () => {
    const declared = await host.declare(desk(), { token: tokens.admin! });
    const uids = uidsOf(declared);
    const ran = await host.call('POST', '/v1/verification/execute', {
      token: tokens.admin!,
      body: {
        verifier_card_uid: uids.tone,
        card_uid: uids['desk-agent'],
        inputs: { answer: { kind: 'json', value: 'x' } },
      },
    });
    expect(ran.status).toBe(200);
    const service = await host.call('GET', `/v1/cards/by-uid/Service/${uids.desk}`, { token: tokens.admin! });
    const planned = await host.call('POST', '/v1/verification/evidence', {
      token: tokens.admin!,
      body: { files: [{ sha256: 'a'.repeat(64), size_bytes: 1 }] },
    });
    const theirs = {
      uid: uids.desk!,
      card_uid: uids.desk!,
      execution_id: ran.json.execution_id as string,
      binding_id: service.json.card.status.verification.binding_ids[0] as string,
      upload_id: planned.json.uploads[0].upload_id as string,
    };
    const withIds = guarded.filter((route) => /\{(uid|card_uid|execution_id|binding_id|upload_id)\}/.test(route.path));
    expect(withIds.length).toBeGreaterThan(6);
    for (const route of withIds) {
      const request_id = v7();
      const ask = async (ids: Readonly<Record<string, string>>) => {
        const [path, options] = attempt(route, ids);
        const headers = { ...options.headers, 'wyrd-request-id': request_id };
        return host.call(route.method, path, { ...options, headers, token: tokens.stranger! });
      };
      const [foreign, unknown] = [await ask(theirs), await ask({})];
      expect(unknown.status, route.path).toBe(404);
      expect(foreign.status, route.path).toBe(404);
      expect(foreign.text, route.path).toBe(unknown.text);
    }
    const execute = (ids: { verifier: string; subject: string }) =>
      host.call('POST', '/v1/verification/execute', {
        token: tokens.stranger!,
        headers: { 'wyrd-request-id': samples.uid! },
        body: { verifier_card_uid: ids.verifier, card_uid: ids.subject },
      });
    const foreign = await execute({ verifier: uids.tone!, subject: uids['desk-agent']! });
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe((await execute({ verifier: v7(), subject: v7() })).text);
  });

  it('lists every route in the OpenAPI document, and 404 says so for the rest', async () => {
    const { json } = await host.call('GET', '/openapi.json', { token: null });
    expect(json.openapi).toBe('3.1.0');
    for (const route of routes) {
      const operation = json.paths[route.path]?.[route.method.toLowerCase()];
      expect(operation, `${route.method} ${route.path}`).toBeDefined();
      expect(operation.security).toEqual(route.access === 'public' ? [] : [{ accessToken: [] }]);
    }
    const unknown = await host.call('GET', '/v1/no-such-route');
    expect([unknown.status, unknown.json.code]).toEqual([404, 'WYRD_SPEC_404_NOT_FOUND']);
  });
});
