import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { call, card, declare, declareDesk, sibling, unique } from './target.ts';
import { toneSpec } from './verifiers.ts';

describe('declaring Cards', () => {
  it('makes them active, reads them back by uid and name, and lists them', async () => {
    const desk = await declareDesk(toneSpec);
    const byUid = await call('GET', `/v1/cards/by-uid/Verifier/${desk.verifier}`);
    expect(byUid).toMatchObject({ status: 200, json: { card: { metadata: { uid: desk.verifier } } } });
    const name = byUid.json.card.metadata.name;
    const byName = await call('GET', `/v1/cards/by-ref?kind=Verifier&name=${name}&version=1.0.0`);
    expect(byName.text).toBe(byUid.text);
    const listed = await call('GET', `/v1/cards?kind=Verifier&name=${name}`);
    expect(listed.json.items).toHaveLength(1);
  });

  it('answers the same uids when it is repeated, and refuses other content under the same version', async () => {
    const name = unique('tone');
    const first = await declare([card('Verifier', name, toneSpec)]);
    const uid = first.json.outcomes[0].card_ref.uid;
    expect((await declare([card('Verifier', name, toneSpec)])).json.outcomes[0].card_ref.uid).toBe(uid);
    const drifted = { ...toneSpec, description: 'another' };
    expect(await declare([card('Verifier', name, drifted)])).toMatchObject({
      status: 409,
      json: { code: 'WYRD_REGISTRY_409_SPEC_DRIFT' },
    });
  });

  it('answers the same for the same idempotency key', async () => {
    const body = { submissions: [card('Verifier', unique('tone'), toneSpec)] };
    const headers = { 'idempotency-key': `card-declaration-${v7()}` };
    const [first, again] = [
      await call('POST', '/v1/cards', { body, headers }),
      await call('POST', '/v1/cards', { body, headers }),
    ];
    expect(again.json.outcomes.map(({ card_ref }: { card_ref: { uid: string } }) => card_ref.uid)).toEqual(
      first.json.outcomes.map(({ card_ref }: { card_ref: { uid: string } }) => card_ref.uid),
    );
    const other = { submissions: [card('Verifier', unique('tone'), toneSpec)] };
    expect(await call('POST', '/v1/cards', { body: other, headers })).toMatchObject({
      status: 409,
      json: { code: 'WYRD_REGISTRY_409_IDEMPOTENCY_CONFLICT' },
    });
  });

  it('stores nothing of a declaration with a broken Card', async () => {
    const good = card('Verifier', unique('tone'), toneSpec);
    const service = card('Service', unique('desk'), {
      components: [{ alias: 'agent', ref: sibling('Agent', 'not-there') }],
    });
    const refused = await declare([good, service]);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.status).toBeLessThan(500);
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    const { name } = good.metadata as { name: string };
    expect((await call('GET', `/v1/cards?kind=Verifier&name=${name}`)).json.items).toEqual([]);
  });

  it('deletes once', async () => {
    const name = unique('tone');
    const uid = (await declare([card('Verifier', name, toneSpec)])).json.outcomes[0].card_ref.uid;
    expect((await call('DELETE', `/v1/cards/by-uid/Verifier/${uid}`)).status).toBe(200);
    const after = await call('GET', `/v1/cards?kind=Verifier&name=${name}&status=active`);
    expect(after.json.items).toEqual([]);
  });
});
