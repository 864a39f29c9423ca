import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { call, declareDesk, exchange, json, otherTenantKey, tokenOf } from './target.ts';
import { toneSpec } from './verifiers.ts';

describe('access', () => {
  it('answers health without a token, and echoes the request id', async () => {
    const id = v7();
    const health = await call('GET', '/health', { token: null, headers: { 'wyrd-request-id': id } });
    expect(health).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect(health.headers.get('wyrd-request-id')).toBe(id);
    expect(health.headers.get('cache-control')).toBe('no-store');
    expect((await call('GET', '/ready', { token: null })).status).toBe(200);
  });

  it.each([
    ['no token', null],
    ['a token of nobody', 'eyJhbGciOiJIUzI1NiJ9.e30.AAAA'],
  ])('refuses %s with 401 on every kind of route', async (_name, token) => {
    const body = { verifier_card_uid: v7(), card_uid: v7(), inputs: {} };
    for (const [method, path] of [
      ['GET', '/v1/cards'],
      ['POST', '/v1/verification/execute'],
      ['POST', '/v1/verification/enqueue'],
      ['GET', `/v1/verification/executions/${v7()}`],
    ] as const) {
      const refused = await call(method, path, { token, ...(method === 'POST' ? { body } : {}) });
      expect([path, refused.status]).toEqual([path, 401]);
      expect(refused.headers.get('content-type')).toContain('application/problem+json');
    }
  });

  it('refuses a key that does not exist', async () => {
    const key = `wyrd_sk_${'0'.repeat(32)}_${'0'.repeat(8)}_${'0'.repeat(64)}`;
    expect(await exchange(key)).toMatchObject({ status: 401, json: { code: 'WYRD_AUTH_401_API_KEY_INVALID' } });
  });

  it('answers 404 for what is not there', async () => {
    expect(await call('GET', '/v1/nothing')).toMatchObject({ status: 404, json: { code: 'WYRD_SPEC_404_NOT_FOUND' } });
    expect((await call('GET', `/v1/verification/executions/${v7()}`)).status).toBe(404);
  });

  it('refuses a body above 1 MiB, and a body that is no JSON', async () => {
    const path = '/v1/verification/execute';
    const headers = { 'content-type': 'application/json' };
    expect((await call('POST', path, { raw: `"${'x'.repeat(1_048_576)}"`, headers })).status).toBe(413);
    expect((await call('POST', path, { raw: '{', headers })).status).toBe(400);
    const invalid = new Uint8Array([0x22, 0xff, 0x22]);
    expect((await call('POST', path, { raw: invalid, headers })).status).toBe(400);
  });

  it('keeps text byte for byte, both ways', async () => {
    const desk = await declareDesk(toneSpec);
    const text = 'Grüße, 世界 \u{1f600} \u2028 "\\"';
    const ran = await desk.execute({ answer: json(text) });
    expect(ran.json.outcome.evidence.answer).toEqual(json(text));
  });

  it.skipIf(otherTenantKey === undefined)('hides everything of another tenant as if it were not there', async () => {
    const desk = await declareDesk(toneSpec);
    const ran = await desk.execute({ answer: json('a') });
    const token = await tokenOf(otherTenantKey);
    for (const [real, unknown] of [
      [`/v1/cards/by-uid/Verifier/${desk.verifier}`, `/v1/cards/by-uid/Verifier/${v7()}`],
      [`/v1/verification/executions/${ran.json.execution_id}`, `/v1/verification/executions/${v7()}`],
    ] as const) {
      const [hidden, absent] = [await call('GET', real, { token }), await call('GET', unknown, { token })];
      expect([hidden.status, absent.status]).toEqual([404, 404]);
      const without = ({ request_id: _id, ...rest }: Record<string, unknown>) => rest;
      expect(without(hidden.json)).toEqual(without(absent.json));
    }
    const body = { verifier_card_uid: desk.verifier, card_uid: desk.agent, inputs: {} };
    expect((await call('POST', '/v1/verification/execute', { token, body })).status).toBe(404);
    const listed = await call('GET', `/v1/verification/executions?verifier=${desk.verifier}`, { token });
    expect(listed.json.items).toEqual([]);
  });
});
