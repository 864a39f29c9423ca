import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type Delegation, type Envelope, payloadTypes } from '#contract/record.ts';
import { payloadOf, publicHalf } from '#service/records/sign-payload.ts';
import { toRfc3339 } from '#service/time.ts';

/** An Ed25519 key of this process, and the root's word for it. Its private half is in memory only. */
export interface DelegatedKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly delegation: Envelope;
  /** Milliseconds since the epoch; until exclusive. */
  readonly valid_from: number;
  readonly valid_until: number;
}

/** docs/spec/records.md §1. */
const lifeMs = 3_600_000;
/** A result may have ended a moment before its key was made. */
const leadMs = 60_000;

/** `notBefore`: where the root's own window begins. */
export async function delegate(
  sign: (payloadType: string, payload: Uint8Array) => Promise<Envelope['signatures'][number]>,
  now: number,
  notBefore: number,
): Promise<DelegatedKey> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { kid, jwk } = publicHalf(privateKey);
  if (jwk.kty !== 'OKP') throw new Error('not an Ed25519 key');
  const valid_from = Math.max(now - leadMs, notBefore);
  const valid_until = valid_from + lifeMs;
  const said: Delegation = {
    version: 1,
    key: jwk,
    tenant_scope: '*',
    purpose: 'records',
    valid_from: toRfc3339(valid_from),
    valid_until: toRfc3339(valid_until),
  };
  const payload = payloadOf({ ...said, key: { ...said.key } });
  const signature = await sign(payloadTypes.delegation, payload);
  const delegation = {
    payloadType: payloadTypes.delegation,
    payload: payload.toString('base64'),
    signatures: [signature],
  };
  return { kid, privateKey, delegation, valid_from, valid_until };
}
