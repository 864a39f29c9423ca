import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { executionStateSchema, verificationResultSchema } from '#contract/requests/verification.ts';
import { card, desk, makeHost, type TestHost, uidsOf } from '#test/support/embedded-host.ts';

interface Desk {
  readonly uids: Readonly<Record<string, string>>;
  readonly execute: (inputs: JsonObject, more?: JsonObject) => ReturnType<TestHost['call']>;
}

async function declareDesk(host: TestHost, verifierSpec?: JsonObject): Promise<Desk> {
  const declared = await host.declare(desk({ version: '1.0.0' }, verifierSpec));
  const uids = uidsOf(declared);
  const target = { verifier_card_uid: uids.tone!, card_uid: uids['desk-agent']! };
  return {
    uids,
    execute: (inputs, more = {}) =>
      host.call('POST', '/v1/verification/execute', { body: { ...target, inputs, ...more } }),
  };
}

const json = (value: unknown) => ({ kind: 'json', value }) as JsonObject;

const everySlot: JsonObject = {
  inputs: {
    answer: { type: 'json', required: false, schema: { type: 'object', properties: { text: { type: 'string' } } } },
    letter: { type: 'media', required: false, formats: ['text', 'pdf'], max_bytes: 20 },
    calls: { type: 'trace', required: false },
  },
  requirements: [
    { id: 'a', statement: 's', check: { kind: 'assert', path: 'inputs.answer', operator: 'is_not_null' } },
  ],
};

describe('execute', () => {
  it('answers the result, keeps it byte for byte, and lists it', async () => {
    await using host = await makeHost();
    const { uids, execute } = await declareDesk(host);
    const more = { run_id: 'r-9', group_id: 'order-77', deployment_environment: 'staging' };
    const ran = await execute({ answer: json('a sure thing') }, more);
    expect(ran.status).toBe(200);
    expect(verificationResultSchema.safeParse(ran.json).error).toBeUndefined();
    expect(ran.json).toMatchObject({
      run_id: 'r-9',
      deployment_environment: 'staging',
      verifier: { kind: 'Verifier', name: 'tone', version: '1.0.0', uid: uids.tone },
      subject: { kind: 'Agent', name: 'desk-agent', version: '1.0.0', uid: uids['desk-agent'] },
      outcome: { verdict: 'failed', evidence: { answer: { kind: 'json', value: 'a sure thing' } } },
    });
    expect(ran.headers.get('cache-control')).toBe('no-store');
    const state = await host.call('GET', `/v1/verification/executions/${ran.json.execution_id}`);
    expect(executionStateSchema.safeParse(state.json).error).toBeUndefined();
    expect(state.text).toContain(`"result":${ran.text}`);
    expect(state.json).toMatchObject({ status: 'completed', group_id: 'order-77', owner_card_uid: uids.desk });
    const passed = await execute({ answer: json('perhaps') });
    expect(passed.json.outcome.verdict).toBe('passed');
    expect(passed.json.run_id).toBeUndefined();
    const list = async (query: string) =>
      (await host.call('GET', `/v1/verification/executions?${query}`)).json.items.map(
        (item: { execution_id: string }) => item.execution_id,
      );
    expect(await list('')).toEqual([passed.json.execution_id, ran.json.execution_id]);
    expect(await list('verdict=failed&run_id=r-9&verifier=tone@1.0.0&origin=execute')).toEqual([ran.json.execution_id]);
    expect(
      await list(`subject=${uids['desk-agent']}&from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00%2B01:00`),
    ).toEqual([]);
    const {
      binding_ids: [binding],
    } = (await host.call('GET', `/v1/cards/by-uid/Service/${uids.desk}`)).json.card.status.verification;
    const bound = await host.call('GET', `/v1/verification/bindings/${binding}`);
    expect(bound.json).toEqual({
      binding_id: binding,
      owner_card_uid: uids.desk,
      card_uid: uids['desk-agent'],
      verifier_card_uid: uids.tone,
      active: true,
      readiness: 'ready',
      next_run_at: null,
      last_activated_at: null,
      last_execution_id: passed.json.execution_id,
    });
  });

  it('is inconclusive, not refused, without a required slot', async () => {
    await using host = await makeHost();
    const { execute } = await declareDesk(host);
    const ran = await execute({});
    expect([ran.status, ran.json.outcome.verdict]).toEqual([200, 'inconclusive']);
  });

  it.each<[string, JsonObject, number, string, string]>([
    ['an unknown slot', { other: json(1) }, 400, 'INPUT_INVALID', '/inputs/other'],
    ['another kind', { answer: { kind: 'trace', trace_id: 'a'.repeat(32) } }, 400, 'INPUT_INVALID', '/inputs/answer'],
    ['a broken schema', { answer: json({ text: 1 }) }, 400, 'INPUT_INVALID', '/inputs/answer'],
    [
      'a format that is not taken',
      { letter: { kind: 'file', sha256: 'a'.repeat(64), size_bytes: 1, format: 'png' } },
      400,
      'INPUT_INVALID',
      '/inputs/letter',
    ],
    [
      'a file above max_bytes',
      { letter: { kind: 'file', sha256: 'a'.repeat(64), size_bytes: 21, format: 'text' } },
      413,
      'INPUT_TOO_LARGE',
      '/inputs/letter',
    ],
    ['a zero trace id', { calls: { kind: 'trace', trace_id: '0'.repeat(32) } }, 400, 'INPUT_INVALID', '/inputs/calls'],
    [
      'an unknown Artifact',
      { letter: { kind: 'artifact', artifact: { kind: 'Artifact', name: 'manual', version: '1.0.0' } } },
      400,
      'INPUT_INVALID',
      '/inputs/letter',
    ],
  ])('refuses %s before anything runs', async (_name, inputs, status, code, field) => {
    await using host = await makeHost();
    const { execute } = await declareDesk(host, everySlot);
    const refused = await execute(inputs);
    expect(refused).toMatchObject({
      status,
      json: { code: `WYRD_VERIFICATION_${status}_${code}`, details: { field } },
    });
    expect((await host.call('GET', '/v1/verification/executions')).json.items).toEqual([]);
  });

  it('names every refused input, the first in byte order as the code', async () => {
    await using host = await makeHost();
    const { execute } = await declareDesk(host, everySlot);
    const refused = await execute({
      z: json(1),
      letter: { kind: 'file', sha256: 'a'.repeat(64), size_bytes: 21, format: 'text' },
      answer: json({ text: 1 }),
    });
    expect(refused.json.details.inputs.map(({ slot }: { slot: string }) => slot)).toEqual(['answer', 'letter', 'z']);
    expect(refused.json).toMatchObject({
      code: 'WYRD_VERIFICATION_400_INPUT_INVALID',
      details: { slot: 'answer', pointer: '/text' },
    });
  });

  it.each([
    ['a repeated key', '{"a":1,"a":2}'],
    ['an unsafe integer', '9007199254740993'],
    ['half a surrogate pair', '"\\ud800"'],
    ['a number beyond the range', '1e999'],
    ['too deep nesting', `${'['.repeat(129)}${']'.repeat(129)}`],
  ])('refuses evidence with %s at its slot', async (_name, value) => {
    await using host = await makeHost();
    const { uids } = await declareDesk(host);
    const raw = `{"verifier_card_uid":"${uids.tone}","card_uid":"${uids['desk-agent']}","inputs":{"answer":{"kind":"json","value":${value}}}}`;
    const refused = await host.call('POST', '/v1/verification/execute', {
      raw,
      headers: { 'content-type': 'application/json' },
    });
    expect(refused).toMatchObject({
      status: 400,
      json: { code: 'WYRD_VERIFICATION_400_INPUT_INVALID', details: { field: '/inputs/answer' } },
    });
  });

  it('takes evidence nested 128 deep', async () => {
    await using host = await makeHost();
    const { execute } = await declareDesk(host);
    const value = JSON.parse(`${'['.repeat(128)}${']'.repeat(128)}`) as unknown;
    expect((await execute({ answer: json(value) })).status).toBe(200);
  });

  it.each<[string, string | Uint8Array, number, string]>([
    ['text that is no JSON', '{', 400, 'WYRD_SPEC_400_VALIDATION'],
    ['bytes that are no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 400, 'WYRD_SPEC_400_VALIDATION'],
    ['a list', '[]', 400, 'WYRD_SPEC_400_VALIDATION'],
    [
      'an unknown member',
      JSON.stringify({ verifier_card_uid: v7(), card_uid: v7(), tenant: 'x' }),
      400,
      'WYRD_SPEC_400_VALIDATION',
    ],
    ['a bad uid', JSON.stringify({ verifier_card_uid: 'x', card_uid: v7() }), 400, 'WYRD_SPEC_400_VALIDATION'],
    [
      'a group id with white space',
      JSON.stringify({ verifier_card_uid: v7(), card_uid: v7(), group_id: 'a b' }),
      400,
      'WYRD_SPEC_400_VALIDATION',
    ],
    ['more than 1 MiB', `"${'x'.repeat(1_048_576)}"`, 413, 'WYRD_VERIFICATION_413_INPUT_TOO_LARGE'],
  ])('refuses %s', async (_name, raw, status, code) => {
    await using host = await makeHost();
    const refused = await host.call('POST', '/v1/verification/execute', { raw });
    expect([refused.status, refused.json.code]).toEqual([status, code]);
  });

  it('refuses a body above the limit while it is being read', async () => {
    await using host = await makeHost();
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        if (sent > 400) controller.close();
        else controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    const response = await fetch(`${host.url}/v1/verification/execute`, {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'x-wyrd-access-token': 'Bearer x' },
    } as RequestInit);
    expect(response.status).toBe(413);
    expect(sent).toBeLessThan(200);
  });

  it('finds its target by binding, and tells unknown from unbound', async () => {
    await using host = await makeHost();
    const { uids, execute } = await declareDesk(host);
    const answer = { answer: json('x') };
    const other = uidsOf(await host.declare([card('Policy', 'rule', {})]));
    expect((await execute(answer, { verifier_card_uid: v7() })).json.code).toBe(
      'WYRD_VERIFICATION_404_TARGET_NOT_FOUND',
    );
    expect((await execute(answer, { card_uid: v7() })).json.code).toBe('WYRD_VERIFICATION_404_TARGET_NOT_FOUND');
    expect((await execute(answer, { card_uid: other.rule! })).json.code).toBe('WYRD_VERIFICATION_400_INVALID_TARGET');
    expect((await execute(answer, { verifier_card_uid: other.rule! })).json.code).toBe(
      'WYRD_VERIFICATION_400_INVALID_TARGET',
    );
    const workload = (uid: string) =>
      host.call('POST', '/v1/verification/execute', {
        body: { verifier_card_uid: uids.tone, card_uid: uids['desk-agent'], inputs: answer },
        headers: { 'x-wyrd-workload-uid': uid },
      });
    expect((await workload(uids.desk!)).status).toBe(200);
    expect((await workload(v7())).json.code).toBe('WYRD_VERIFICATION_400_INVALID_TARGET');
    expect((await workload('nobody')).json.code).toBe('WYRD_SPEC_400_VALIDATION');
    await host.call('DELETE', `/v1/cards/by-uid/Service/${uids.desk}`);
    expect((await execute(answer)).json.code).toBe('WYRD_VERIFICATION_400_INVALID_TARGET');
    await host.call('DELETE', `/v1/cards/by-uid/Verifier/${uids.tone}`);
    expect((await execute(answer)).json.code).toBe('WYRD_VERIFICATION_404_TARGET_NOT_FOUND');
  });

  it('runs under the newest owner, or the one that the caller names', async () => {
    await using host = await makeHost();
    const { uids, execute } = await declareDesk(host);
    const ref = (kind: string, name: string) => ({ kind, name, version: '1.0.0' });
    const newer = await host.declare([
      card(
        'Service',
        'desk',
        {
          components: [
            { alias: 'agent', ref: ref('Agent', 'desk-agent'), verified_by: [{ verifier: ref('Verifier', 'tone') }] },
          ],
        },
        { version: '2.0.0' },
      ),
    ]);
    const ownerOf = async (execution: string) =>
      (await host.call('GET', `/v1/verification/executions/${execution}`)).json.owner_card_uid;
    const ran = await execute({ answer: json('x') });
    expect(await ownerOf(ran.json.execution_id)).toBe(uidsOf(newer).desk);
    const token = await host.token(await host.key({ role: 'workload', card_uid: uids.desk! }));
    const first = await host.call('POST', '/v1/verification/execute', {
      token,
      body: { verifier_card_uid: uids.tone, card_uid: uids['desk-agent'], inputs: { answer: json('x') } },
    });
    expect(await host.call('GET', `/v1/verification/executions/${first.json.execution_id}`, { token })).toMatchObject({
      json: { owner_card_uid: uids.desk },
    });
  });

  it('keeps a key to the Verifiers it was made for', async () => {
    await using host = await makeHost();
    const { uids } = await declareDesk(host);
    const ran = await host.call('POST', '/v1/verification/execute', {
      body: { verifier_card_uid: uids.tone, card_uid: uids['desk-agent'] },
    });
    const body = { verifier_card_uid: uids.tone, card_uid: uids['desk-agent'] };
    const token = await host.token(await host.key({ role: 'workload', verifier_uids: [v7()] }));
    expect((await host.call('POST', '/v1/verification/execute', { token, body })).json.code).toBe(
      'WYRD_PERMISSION_403_DENIED_RBAC',
    );
    expect((await host.call('GET', '/v1/verification/executions', { token })).json.items).toEqual([]);
    expect((await host.call('GET', `/v1/verification/executions/${ran.json.execution_id}`, { token })).status).toBe(
      404,
    );
    const allowed = await host.token(await host.key({ role: 'workload', verifier_uids: [uids.tone!] }));
    expect((await host.call('POST', '/v1/verification/execute', { token: allowed, body })).status).toBe(200);
  });

  it('refuses route overrides that name no Agent block', async () => {
    await using host = await makeHost();
    const { execute } = await declareDesk(host);
    const refused = await execute({}, { execution_route_overrides: { 'no-promise': { kind: 'native' } } });
    expect(refused.json).toMatchObject({
      code: 'WYRD_VERIFICATION_400_INPUT_INVALID',
      details: { field: '/execution_route_overrides/no-promise' },
    });
  });
});

describe('evidence files', () => {
  const text = 'Dear customer';
  const file = { sha256: createHash('sha256').update(text).digest('hex'), size_bytes: text.length };
  const letterSpec: JsonObject = {
    inputs: { letter: { type: 'media', formats: ['text'] } },
    steps: [{ id: 'read', action: { kind: 'extract', from: 'inputs.letter' } }],
    requirements: [
      {
        id: 'polite',
        statement: 's',
        check: { kind: 'assert', path: 'steps.read.output.text', operator: 'contains', expected: 'Dear' },
      },
    ],
  };

  it('are planned once, sent, and judged', async () => {
    await using host = await makeHost();
    const { execute } = await declareDesk(host, letterSpec);
    const input = { letter: { kind: 'file', ...file, format: 'txt' } };
    const missing = await execute(input);
    expect(missing.json.outcome).toMatchObject({ verdict: 'inconclusive' });
    const plan = () => host.call('POST', '/v1/verification/evidence', { body: { files: [file, file] } });
    const planned = await plan();
    expect(planned.json.uploads).toHaveLength(1);
    const [upload] = planned.json.uploads;
    expect(upload).toMatchObject({ sha256: file.sha256, plan: { protocol: 'local_fs' } });
    expect((await host.call('PUT', upload.plan.data.put_url, { raw: text })).json).toEqual({ uploaded: true });
    expect((await host.call('PUT', upload.plan.data.put_url, { raw: text })).json).toEqual({ uploaded: true });
    expect((await plan()).json.uploads).toEqual([]);
    const ran = await execute(input);
    expect(ran.json.outcome).toMatchObject({
      verdict: 'passed',
      evidence: { letter: { kind: 'file', ...file, format: 'text' } },
    });
    const path = `/v1/verification/executions/${ran.json.execution_id}`;
    const sent = await host.call('GET', `${path}/evidence/letter`);
    expect([sent.status, sent.text]).toEqual([200, text]);
    expect((await host.call('GET', `${path}/evidence/__proto__`)).status).toBe(404);
    // The same file was judged twice: what a person asks to be deleted is gone for both.
    expect((await host.call('POST', `${path}/erase`)).status).toBe(200);
    expect((await host.call('GET', `${path}/evidence/letter`)).status).toBe(404);
    const other = `/v1/verification/executions/${missing.json.execution_id}/evidence/letter`;
    expect((await host.call('GET', other)).json).toMatchObject({ code: 'TOUCHSTONE_410_EVIDENCE_EXPIRED' });
  });

  it.each([
    ['longer', `${text}!`, 'WYRD_STORAGE_400_SIZE_MISMATCH'],
    ['shorter', text.slice(1), 'WYRD_STORAGE_400_SIZE_MISMATCH'],
    ['other', text.toUpperCase(), 'WYRD_STORAGE_400_SHA256_MISMATCH'],
  ])('refuse %s bytes and fail their session', async (_name, sent, code) => {
    await using host = await makeHost();
    const planned = await host.call('POST', '/v1/verification/evidence', { body: { files: [file] } });
    const [{ upload_id, plan }] = planned.json.uploads;
    expect((await host.call('PUT', plan.data.put_url, { raw: sent })).json.code).toBe(code);
    expect((await host.call('PUT', plan.data.put_url, { raw: text })).json.code).toBe(
      'WYRD_STORAGE_409_UPLOAD_NOT_PENDING',
    );
    const complete = await host.call('POST', `/v1/cards/upload/${upload_id}/complete`, {
      body: { protocol: 'local_fs', data: {} },
    });
    expect(complete.json.code).toBe('WYRD_STORAGE_409_UPLOAD_NOT_PENDING');
  });

  it('complete only what was sent', async () => {
    await using host = await makeHost();
    const planned = await host.call('POST', '/v1/verification/evidence', { body: { files: [file] } });
    const [{ upload_id, plan }] = planned.json.uploads;
    const complete = (id: string) =>
      host.call('POST', `/v1/cards/upload/${id}/complete`, { body: { protocol: 'single_put', data: {} } });
    expect((await complete(upload_id)).json.code).toBe('WYRD_STORAGE_404_UPLOAD_NOT_FOUND');
    expect((await complete('wyu_x')).json.code).toBe('WYRD_STORAGE_400_INVALID_UPLOAD_ID');
    await host.call('PUT', plan.data.put_url, { raw: text });
    expect((await complete(upload_id)).json.stored).toMatchObject({
      sha256: Buffer.from(file.sha256, 'hex').toString('base64'),
      content_type: null,
      sse_marker: null,
    });
    const large = { sha256: 'a'.repeat(64), size_bytes: 104_857_601 };
    expect((await host.call('POST', '/v1/verification/evidence', { body: { files: [large] } })).status).toBe(413);
  });
});

it('echoes a request id of the right form and makes one otherwise', async () => {
  await using host = await makeHost();
  const id = v7();
  const echoed = await host.call('GET', '/v1/nowhere', { headers: { 'wyrd-request-id': id } });
  expect([echoed.headers.get('wyrd-request-id'), echoed.json.request_id]).toEqual([id, id]);
  const made = await host.call('GET', '/health', { headers: { 'wyrd-request-id': 'x' } });
  expect(made.headers.get('wyrd-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  expect((await host.call('GET', '/ready', { token: null })).json).toMatchObject({ status: 'ok' });
  expect((await host.call('GET', '/v1/schemas/verifier.json', { token: null })).json.$schema).toContain('json-schema');
  expect((await host.call('GET', '/v1/schemas/__proto__', { token: null })).status).toBe(404);
});
