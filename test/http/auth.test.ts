import { request } from 'node:http';
import { SignJWT } from 'jose';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { openKeys } from '#local/open-store.ts';
import { listKeys, revokeKey } from '#service/auth/keys.ts';
import { desk, makeHost, type TestHost, uidsOf } from '#test/support/embedded-host.ts';

const grant = {
  grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  subject_token_type: 'urn:wyrd:oauth:token-type:api_key',
};

async function exchange(host: TestHost, form: Record<string, string>) {
  const response = await fetch(`${host.url}/auth/token`, { method: 'POST', body: new URLSearchParams(form) });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

async function revokeAll(host: TestHost): Promise<void> {
  const store = await openKeys(host.data);
  for (const key of await listKeys(store, 'local')) await revokeKey(store, 'local', key.key_id);
  await store.close();
}

describe('token exchange', () => {
  it('gives a Bearer token that works', async () => {
    await using host = await makeHost();
    const key = await host.key();
    expect(key).toMatch(/^wyrd_sk_[0-9a-f]{32}_[0-9a-f]{8}_[0-9a-f]{64}$/);
    const { status, json } = await exchange(host, {
      ...grant,
      subject_token: key,
      client_id: 'wyrd-cli',
      extra: 'ignored',
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    const token = String(json.access_token);
    expect((await host.call('GET', '/v1/cards', { token })).status).toBe(200);
    const second = await fetch(`${host.url}/v1/cards`, { headers: { authorization: `Bearer ${token}` } });
    expect(second.status).toBe(200);
    const first = await fetch(`${host.url}/v1/cards`, {
      headers: { authorization: `Bearer ${token}`, 'x-wyrd-access-token': 'Bearer nonsense' },
    });
    expect(first.status).toBe(401);
  });

  it.each([
    ['no grant', { subject_token: 'x' }, 400, 'invalid_request', 'WYRD_SPEC_400_VALIDATION'],
    [
      'another grant',
      { grant_type: 'refresh_token' },
      400,
      'unsupported_grant_type',
      'WYRD_AUTH_400_UNSUPPORTED_GRANT_TYPE',
    ],
    [
      'another token type',
      { ...grant, subject_token_type: 'x', subject_token: 'x' },
      400,
      'invalid_request',
      'WYRD_SPEC_400_VALIDATION',
    ],
    ['no key', grant, 400, 'invalid_request', 'WYRD_SPEC_400_VALIDATION'],
    [
      'a key of another form',
      { ...grant, subject_token: 'secret' },
      401,
      'invalid_grant',
      'WYRD_AUTH_401_API_KEY_INVALID',
    ],
    [
      'an unknown key',
      { ...grant, subject_token: `wyrd_sk_${'0'.repeat(32)}_01234567_${'0'.repeat(64)}` },
      401,
      'invalid_grant',
      'WYRD_AUTH_401_API_KEY_INVALID',
    ],
    [
      'a workload that is no id',
      { ...grant, subject_token: 'x', workload_uid: 'x' },
      400,
      'invalid_request',
      'WYRD_SPEC_400_VALIDATION',
    ],
  ])('refuses %s', async (_name, form, status, error, code) => {
    await using host = await makeHost();
    await host.key();
    const answered = await exchange(host, form as unknown as Record<string, string>);
    expect(answered).toMatchObject({ status, json: { error, code } });
    expect(answered.json.error_description).toBeTypeOf('string');
  });

  it('refuses a key whose secret, tenant or id was changed', async () => {
    await using host = await makeHost();
    const key = await host.key();
    const flip = (at: number) => key.slice(0, at) + (key[at] === '0' ? '1' : '0') + key.slice(at + 1);
    for (const at of [8, 39, 41, 50, key.length - 1]) {
      const { json } = await exchange(host, { ...grant, subject_token: flip(at) });
      expect(json.code, `position ${at}`).toBe('WYRD_AUTH_401_API_KEY_INVALID');
    }
  });

  it('ends keys and their tokens at once when they are revoked', async () => {
    await using host = await makeHost();
    const key = await host.key();
    const token = await host.token(key);
    expect((await host.call('GET', '/v1/cards', { token })).status).toBe(200);
    await revokeAll(host);
    expect((await host.call('GET', '/v1/cards', { token })).json.code).toBe('WYRD_AUTH_401_CREDENTIAL_REVOKED');
    expect(await exchange(host, { ...grant, subject_token: key })).toMatchObject({
      status: 401,
      json: { error: 'invalid_grant', code: 'WYRD_AUTH_401_CREDENTIAL_REVOKED' },
    });
  });

  it('refuses tokens of another signer, another audience, and the unsigned form', async () => {
    await using host = await makeHost();
    const real = await host.token(await host.key());
    const payload = JSON.parse(Buffer.from(real.split('.')[1]!, 'base64url').toString('utf8')) as Record<
      string,
      unknown
    >;
    const header = JSON.parse(Buffer.from(real.split('.')[0]!, 'base64url').toString('utf8')) as { kid: string };
    const signed = await new SignJWT(payload)
      .setProtectedHeader({ alg: 'HS256', kid: header.kid })
      .sign(new Uint8Array(32));
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const unsigned = `${encode({ alg: 'none', kid: header.kid })}.${encode(payload)}.`;
    for (const token of [signed, unsigned, 'a.b.c', real.slice(0, -2), '...', `${real} x`]) {
      const answered = await host.call('GET', '/v1/cards', { token });
      expect(answered.status, token).toBe(401);
    }
  });

  it('activates the owner that a bound key runs as, and dies with its Card', async () => {
    await using host = await makeHost();
    const uids = uidsOf(await host.declare(desk()));
    const service = await host.call('GET', `/v1/cards/by-uid/Service/${uids.desk}`);
    const binding = `/v1/verification/bindings/${service.json.card.status.verification.binding_ids[0]}`;
    expect((await host.call('GET', binding)).json).toMatchObject({ active: true, last_activated_at: null });
    const admin = await host.token(await host.key());
    expect((await host.call('GET', binding, { token: admin })).json).toMatchObject({ active: false });
    const key = await host.key({ role: 'workload' });
    expect((await exchange(host, { ...grant, subject_token: key, workload_uid: v7() })).json.error).toBe(
      'invalid_target',
    );
    const token = await host.token(key, { workload_uid: uids.desk! });
    const bound = await host.key({ role: 'workload', card_uid: uids.desk! });
    const mismatch = await exchange(host, { ...grant, subject_token: bound, workload_uid: uids.tone! });
    expect(mismatch.json.error).toBe('invalid_target');
    const asOwner = await host.token(bound);
    const state = (await host.call('GET', binding, { token })).json;
    expect(state).toMatchObject({ active: true, owner_card_uid: uids.desk, readiness: 'ready' });
    expect(state.last_activated_at).not.toBeNull();
    await host.call('DELETE', `/v1/cards/by-uid/Service/${uids.desk}`, { token: admin });
    const orphaned = await host.call('GET', '/v1/cards', { token: asOwner });
    expect([orphaned.status, orphaned.json.code]).toEqual([403, 'WYRD_AUTH_403_PRINCIPAL_ORPHANED']);
    expect((await exchange(host, { ...grant, subject_token: bound })).json.code).toBe(
      'WYRD_AUTH_403_PRINCIPAL_ORPHANED',
    );
  });
});

describe('a host without keys', () => {
  it('takes anyone on loopback as administrator of one tenant, until the first key', async () => {
    await using host = await makeHost();
    expect((await exchange(host, { ...grant, subject_token: 'anything' })).status).toBe(200);
    const keyless = await host.token('anything');
    expect((await host.declare(desk(), { token: keyless })).status).toBe(201);
    const key = await host.key();
    expect((await host.call('GET', '/v1/cards', { token: keyless })).status).toBe(401);
    expect((await host.call('GET', '/v1/cards', { token: 'anything' })).status).toBe(401);
    const listed = await host.call('GET', '/v1/cards', { token: await host.token(key) });
    expect(listed.json.items).toHaveLength(4);
    await revokeAll(host);
    expect((await host.call('GET', '/v1/cards', { token: 'anything' })).status).toBe(401);
  });

  it.each([
    ['localhost', 200],
    ['127.0.0.1:8787', 200],
    ['[::1]:8787', 200],
    ['evil.example', 403],
    ['localhost.evil.example', 403],
    ['127.0.0.1.evil.example:8787', 403],
    ['169.254.169.254', 403],
  ])('answers Host %s with %i', async (name, status) => {
    await using host = await makeHost();
    const answered = await new Promise<number | undefined>((resolve, reject) => {
      request(`${host.url}/v1/cards`, { headers: { host: name, 'x-wyrd-access-token': 'Bearer x' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(answered).toBe(status);
  });

  it('does not start on another address', async () => {
    await expect(makeHost({ host: '0.0.0.0' })).rejects.toThrow('without API keys only loopback');
    await expect(makeHost({ keys: { required: true } })).rejects.toThrow('no API key exists');
  });
});
