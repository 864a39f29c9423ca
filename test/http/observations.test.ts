import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { desk, makeHost, type TestHost, uidsOf } from '#test/support/embedded-host.ts';

async function deskAgent(host: TestHost): Promise<string> {
  return uidsOf(await host.declare(desk()))['desk-agent'] ?? '';
}

const recordOf = (subject: string, more: JsonObject = {}): JsonObject => ({
  record_id: v7(),
  subject_card_uid: subject,
  run_id: 'r-9',
  created_at: '2026-05-04T10:00:00.25+02:00',
  features: { latency_ms: 118.5, tier: 'gold', cached: true },
  ...more,
});

const send = (host: TestHost, records: readonly unknown[], batch_id = v7(), more = {}) =>
  host.call('POST', '/v1/observations', { body: { batch_id, records: records as JsonObject[] }, ...more });

describe('observations over HTTP', () => {
  it('are kept once a batch, whatever is repeated', async () => {
    await using host = await makeHost();
    const [record, batch] = [recordOf(await deskAgent(host)), v7()];
    const first = await send(host, [record], batch);
    expect(first.status, first.text).toBe(202);
    expect(first.json).toEqual({ batch_id: batch, accepted: 1, ingested_at: expect.stringMatching(/Z$/) });
    expect((await send(host, [record], batch)).text).toBe(first.text);
    const other = await send(host, [recordOf(String(record.subject_card_uid))], batch);
    expect([other.status, other.json.code]).toEqual([409, 'WYRD_REGISTRY_409_IDEMPOTENCY_CONFLICT']);
  });

  it('are refused whole, and each bad one is named', async () => {
    await using host = await makeHost();
    const subject = await deskAgent(host);
    const bad: readonly [JsonObject, RegExp][] = [
      [recordOf(subject, { features: {} }), /features: between 1 and 256/],
      [recordOf(subject, { features: { a: [1] } }), /features\.a/],
      [recordOf(subject, { created_at: 'yesterday' }), /created_at/],
      [recordOf(subject, { record_id: '' }), /record_id/],
      [recordOf(v7()), /subject_card_uid: no such Card/],
      [recordOf('someone'), /subject_card_uid/],
      [recordOf(subject, { more: 1 }), /more/i],
    ];
    const refused = await send(host, [recordOf(subject), ...bad.map(([record]) => record), 7]);
    expect([refused.status, refused.json.code]).toEqual([400, 'WYRD_SPEC_400_VALIDATION']);
    const { records } = refused.json.details;
    expect(records.map(({ index }: { index: number }) => index)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    for (const [at, [, reason]] of bad.entries()) expect(records[at].reason).toMatch(reason);
    const largest = Array.from({ length: 1_001 }, () => recordOf(subject));
    expect((await send(host, largest)).status).toBe(400);
    expect((await send(host, [recordOf(subject, { features: { a: 'x'.repeat(2 ** 20) } })])).status).toBe(413);
    expect((await send(host, [])).status).toBe(400);
    expect((await send(host, [recordOf(subject, { features: { a: 2 ** 60 } })])).status).toBe(400);
  });

  it('of another tenant do not exist, and a key needs the permission', async () => {
    await using host = await makeHost();
    const subject = await deskAgent(host);
    const admin = await host.token(await host.key({ role: 'admin', tenant: 'other' }));
    const foreign = await send(host, [recordOf(subject)], v7(), { token: admin });
    expect(foreign.json.details.records).toEqual([{ index: 0, reason: 'subject_card_uid: no such Card' }]);
    const viewer = await host.token(await host.key({ role: 'viewer' }));
    expect((await send(host, [recordOf(subject)], v7(), { token: viewer })).status).toBe(403);
  });
});
