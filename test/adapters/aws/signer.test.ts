import { generateKeyPairSync, sign } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { delegatedSigner } from '#adapters/aws/signer.ts';
import type { PublishedKey, PublishedKeys } from '#adapters/aws/signing/published-keys.ts';
import type { RootKey } from '#adapters/aws/signing/root-key.ts';
import { delegationSchema, payloadTypes } from '#contract/record.ts';
import { preAuthenticationEncoding, publicHalf } from '#service/records/sign-payload.ts';

const minute = 60_000;
const start = Date.parse('2026-03-02T09:00:00.000Z');
const payload = Buffer.from('{}');

/** A key service that counts its calls and can be away. */
function keyService() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const half = publicHalf(privateKey);
  const state = { calls: 0, isAway: false };
  const root: RootKey = {
    publicKey: async () => half,
    async sign(payloadType, bytes) {
      state.calls += 1;
      if (state.isAway) throw new Error('KMSInternalException');
      const message = preAuthenticationEncoding(payloadType, bytes);
      const raw = sign('sha256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return { keyid: half.kid, sig: raw.toString('base64') };
    },
  };
  return { root, state, half };
}

describe('a signer with delegated keys', () => {
  let now: number;
  let service: ReturnType<typeof keyService>;
  let row: PublishedKey;
  let published: PublishedKeys;
  beforeEach(() => {
    now = start;
    service = keyService();
    const { kid, jwk } = service.half;
    if (jwk.kty !== 'EC') throw new Error('not P-256');
    row = { ...jwk, kid, alg: 'ES256', valid_from: '2026-03-01T00:00:00.000Z' };
    published = { all: async () => [row], ensure: async () => row };
  });
  const signer = () => delegatedSigner(service.root, published, () => now);
  const windowOf = async (of: ReturnType<typeof signer>, at = now) => {
    const { delegation } = await of.sign(payloadTypes.statement, payload, at);
    if (delegation === undefined) return null;
    const said = delegationSchema.parse(JSON.parse(Buffer.from(delegation.payload, 'base64').toString('utf8')));
    return [(Date.parse(said.valid_from) - start) / minute, (Date.parse(said.valid_until) - start) / minute];
  };

  it('asks the key service once an hour, ten minutes before the end', async () => {
    const one = signer();
    expect(await windowOf(one)).toEqual([-1, 59]);
    for (let made = 0; made < 100; made += 1) await one.sign(payloadTypes.statement, payload, now);
    now = start + 49 * minute - 1;
    expect(await windowOf(one)).toEqual([-1, 59]);
    expect(service.state.calls).toBe(1);
    now = start + 49 * minute;
    expect(await windowOf(one)).toEqual([48, 108]);
    expect(service.state.calls).toBe(2);
  });

  it('asks once for many records at the same time', async () => {
    const one = signer();
    await Promise.all(Array.from({ length: 20 }, () => one.sign(payloadTypes.statement, payload, now)));
    expect(service.state.calls).toBe(1);
  });

  it('signs with the key that it has until its end while the service is away, then refuses', async () => {
    const one = signer();
    await windowOf(one);
    service.state.isAway = true;
    now = start + 58 * minute;
    expect(await windowOf(one)).toEqual([-1, 59]);
    now = start + 59 * minute;
    await expect(one.sign(payloadTypes.statement, payload, now)).rejects.toThrow();
    service.state.isAway = false;
    now += minute;
    expect(await windowOf(one)).toEqual([59, 119]);
  });

  it('leaves a service that refused alone for ten seconds: no verdict waits for it twice', async () => {
    service.state.isAway = true;
    const one = signer();
    for (let made = 0; made < 5; made += 1) {
      await expect(one.sign(payloadTypes.statement, payload, now)).rejects.toThrow();
    }
    expect(service.state.calls).toBe(1);
    service.state.isAway = false;
    now += 10_000;
    expect(await windowOf(one)).not.toBeNull();
  });

  it('has the root itself sign what its own hour does not cover', async () => {
    const one = signer();
    const signed = await one.sign(payloadTypes.statement, payload, start - 2 * minute);
    expect(signed.delegation).toBeUndefined();
    expect(signed.signatures[0]?.keyid).toBe(row.kid);
  });

  it('signs nothing outside the window of the root', async () => {
    row = { ...row, valid_until: '2026-03-02T08:00:00.000Z' };
    const one = signer();
    await expect(one.sign(payloadTypes.statement, payload, now)).rejects.toThrow('does not sign that time');
    await expect(one.signAsRoot(payloadTypes.checkpoint, payload, now)).rejects.toThrow('does not sign that time');
    expect(service.state.calls).toBe(0);
  });

  it('never delegates from before the root was valid', async () => {
    row = { ...row, valid_from: '2026-03-02T08:59:30.000Z' };
    expect(await windowOf(signer())).toEqual([-0.5, 59.5]);
  });
});
