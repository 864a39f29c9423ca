import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { makeHost } from '#test/support/embedded-host.ts';

const path = '/v1/operator-connections';
const slack = { provider: 'slack', name: 'desk-slack', workspace_id: 'T1', bot_token: 'xoxb-secret' };
const pager = { provider: 'pager_duty', name: 'desk-pager', integration_key: 'key-secret' };
const http = {
  provider: 'http',
  name: 'hooks',
  origin: 'https://Hooks.example.com:443/',
  auth: { scheme: 'basic', username: 'u', password: 'pw-secret' },
};

describe('operator connections (docs/spec/wire.md §8)', () => {
  it('are made, listed as an array, read, changed and disabled, and show no secret', async () => {
    await using host = await makeHost();
    const texts: string[] = [];
    const call = async (method: string, to: string, body?: JsonObject) => {
      const answered = await host.call(method, to, body === undefined ? {} : { body });
      texts.push(answered.text);
      return answered;
    };
    const made = [await call('POST', path, slack), await call('POST', path, pager), await call('POST', path, http)];
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
    const { connection_id, created_at, ...view } = made[2]?.json ?? {};
    expect(view).toEqual({
      name: 'hooks',
      provider: 'http',
      origin: 'https://hooks.example.com',
      auth: { scheme: 'basic' },
      status: 'active',
      updated_at: created_at,
    });
    const listed = await call('GET', path);
    expect(listed.json.map(({ name }: JsonObject) => name)).toEqual(['desk-pager', 'desk-slack', 'hooks']);
    const one = `${path}/${connection_id}`;
    expect((await call('GET', one)).json).toEqual(made[2]?.json);
    expect((await call('DELETE', one)).json.status).toBe('disabled');
    expect((await call('DELETE', one)).json.status).toBe('disabled');
    const auth = { scheme: 'header', name: 'X-Key', value: 'new-secret' };
    const changed = await call('PATCH', one, { provider: 'http', status: 'active', auth });
    expect(changed.json).toMatchObject({
      name: 'hooks',
      origin: 'https://hooks.example.com',
      auth: { scheme: 'header', name: 'X-Key' },
      status: 'active',
    });
    expect(changed.json.updated_at > created_at).toBe(true);
    expect((await call('PATCH', one, { status: 'disabled' })).json.status).toBe('disabled');
    expect(texts.join('')).not.toContain('secret');
  });

  it('have one name a provider', async () => {
    await using host = await makeHost();
    await host.call('POST', path, { body: slack });
    const again = await host.call('POST', path, { body: slack });
    expect([again.status, again.json.code]).toEqual([409, 'WYRD_OPERATOR_409_CONNECTION_CONFLICT']);
    expect((await host.call('POST', path, { body: { ...pager, name: slack.name } })).status).toBe(201);
  });

  it.each<[string, JsonObject]>([
    ['an unknown provider', { ...slack, provider: 'email' }],
    ['a field of another provider', { ...slack, origin: 'https://a.example.com' }],
    ['a name against the grammar', { ...slack, name: 'Desk Slack' }],
    ['no secret', { provider: 'slack', name: 'desk-slack', workspace_id: 'T1' }],
    ['a line break in a secret', { ...pager, integration_key: 'secret\r\nx: y' }],
    ['a colon in a user name', { ...http, auth: { ...http.auth, username: 'a:b' } }],
    ['an unknown scheme', { ...http, auth: { scheme: 'digest', token: 'secret' } }],
  ])('refuses %s without repeating a secret', async (_name, body) => {
    await using host = await makeHost();
    const refused = await host.call('POST', path, { body });
    expect(refused.status).toBe(400);
    expect(refused.text).not.toContain('secret');
  });

  it.each([
    'http://hooks.example.com',
    'https://user:pw@hooks.example.com',
    'https://hooks.example.com/path',
    'https://hooks.example.com?x=1',
    'https://hooks.example.com#x',
    'https://hooks example.com',
    'ftp://hooks.example.com',
    'hooks.example.com',
    'https://',
    'https:\\\\hooks.example.com',
  ])('refuses %s as an origin', async (origin) => {
    await using host = await makeHost();
    const refused = await host.call('POST', path, { body: { ...http, origin } });
    expect([refused.status, refused.json.code]).toEqual([400, 'WYRD_OPERATOR_400_INVALID_CONNECTION']);
  });

  it('refuses headers that the server sets, and a change to another provider', async () => {
    await using host = await makeHost();
    const auth = { scheme: 'header', name: 'Authorization', value: 'x' };
    const refused = await host.call('POST', path, { body: { ...http, auth } });
    expect(refused.json).toMatchObject({
      code: 'WYRD_OPERATOR_400_INVALID_CONNECTION',
      details: { field: 'auth.name' },
    });
    const { connection_id } = (await host.call('POST', path, { body: slack })).json;
    const changed = await host.call('PATCH', `${path}/${connection_id}`, { body: { provider: 'pager_duty' } });
    expect([changed.status, changed.json.code]).toEqual([400, 'WYRD_OPERATOR_400_INVALID_CONNECTION']);
    const renamed = await host.call('PATCH', `${path}/${connection_id}`, {
      body: { provider: 'slack', name: 'other' },
    });
    expect(renamed.status).toBe(400);
  });

  it('need permissions, and are those of the caller’s tenant', async () => {
    await using host = await makeHost();
    const tokenOf = async (tenant: string, role: 'admin' | 'viewer' | 'editor') =>
      host.token(await host.key({ tenant, role, name: role }));
    const admin = await tokenOf('local', 'admin');
    const viewer = await tokenOf('local', 'viewer');
    const other = await tokenOf('other', 'admin');
    const made = await host.call('POST', path, { body: slack, token: admin });
    const one = `${path}/${made.json.connection_id}`;
    expect((await host.call('GET', one, { token: viewer })).status).toBe(200);
    expect((await host.call('DELETE', one, { token: viewer })).status).toBe(403);
    for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', { status: 'disabled' }]] as const) {
      const refused = await host.call(method, one, { token: other, ...(body && { body }) });
      expect([refused.status, refused.json.code]).toEqual([404, 'WYRD_OPERATOR_404_CONNECTION_NOT_FOUND']);
    }
    expect((await host.call('GET', path, { token: other })).json).toEqual([]);
    expect((await host.call('GET', `${path}/not-an-id`, { token: admin })).status).toBe(404);
  });

  it('cannot be made without a key', async () => {
    await using host = await makeHost({}, { environment: { TOUCHSTONE_SECRET_KEY: 'c2hvcnQ=' } });
    const refused = await host.call('POST', path, { body: slack });
    expect([refused.status, refused.json.code]).toEqual([503, 'WYRD_OPERATOR_503_KEY_UNAVAILABLE']);
    await using broken = await makeHost();
    await writeFile(join(broken.data, 'secret-key.json'), '{"key":"c2hvcnQ="}');
    const alike = await broken.call('POST', path, { body: slack });
    expect([alike.status, alike.json.code]).toEqual([503, 'WYRD_OPERATOR_503_KEY_UNAVAILABLE']);
    expect(alike.text).not.toContain('c2hvcnQ');
  });
});
