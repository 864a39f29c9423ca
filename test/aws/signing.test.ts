import { CreateKeyCommand } from '@aws-sdk/client-kms';
import { describe, expect, inject, it } from 'vitest';
import { systemClock } from '#adapters/embedded/system.ts';
import { environmentNames } from '#contract/aws-names.ts';
import { payloadTypes } from '#contract/record.ts';
import { checkRecord } from '#engine/record/check-record.ts';
import { keyIdOf, verifySignature } from '#engine/record/dsse.ts';
import { preAuthenticationEncoding } from '#engine/record/pre-authentication-encoding.ts';
import { anotherProcess, freshAwsStore } from '#test/support/aws-store.ts';
import { desk } from '#test/support/embedded-host.ts';
import { inProcessHost } from '../../scripts/aws/in-process-host.ts';
import { makeSigningClients, signingPorts } from '../../scripts/aws/signing-ports.ts';

const hour = 3_600_000;

describe('signing with a root in KMS', () => {
  it('makes records that a checker accepts, with their place in the log', async () => {
    const store = await freshAwsStore();
    const host = inProcessHost(store.clients, store.environment);
    const token = await host.token();
    const declared = await host.call('POST', '/v1/cards', token, { submissions: desk() });
    const outcomes = declared.outcomes as { card_ref: { name: string; uid: string } }[];
    const uidOf = (name: string) => outcomes.find(({ card_ref }) => card_ref.name === name)?.card_ref.uid;
    const result = await host.call('POST', '/v1/verification/execute', token, {
      verifier_card_uid: uidOf('tone'),
      card_uid: uidOf('desk-agent'),
      inputs: { answer: { kind: 'json', value: 'hello' } },
    });
    expect(result.record).toMatchObject({ state: 'signed' });
    await host.call('POST', '/v1/checkpoints', token, {});
    const record = await host.call('GET', `/v1/records/${result.execution_id}`, token);
    expect(record.record).toHaveProperty('delegation');
    const keys = await host.call('GET', '/.well-known/touchstone/keys.json', token);
    const report = checkRecord({ record: JSON.stringify(record), keys, result: JSON.stringify(result) });
    expect(report.steps).toMatchObject({ form: 'valid', signature: 'valid', inclusion: 'valid' });
    expect(report.defects.filter(({ severity }) => severity === 'invalid')).toEqual([]);
  });

  it('has long payloads hashed here and short ones there, under the same signature', async () => {
    const { ports } = await freshAwsStore();
    const { keys } = await ports.signer.rootKeys().then(async ({ keys: none }) => {
      if (none.length > 0) return { keys: none };
      await ports.signer.signAsRoot(payloadTypes.checkpoint, Buffer.from('{}'), Date.now());
      return ports.signer.rootKeys();
    });
    for (const length of [1, 4_000, 4_096, 5_000]) {
      const payload = Buffer.alloc(length, 97);
      const { signatures } = await ports.signer.signAsRoot(payloadTypes.statement, payload, Date.now());
      const [key] = keys;
      if (key === undefined) throw new Error('no key is published');
      expect(signatures[0]?.keyid).toBe(keyIdOf(key));
      const raw = Buffer.from(signatures[0]?.sig ?? '', 'base64');
      expect(verifySignature(key, preAuthenticationEncoding(payloadTypes.statement, payload), raw)).toBe(true);
    }
  });

  it('stores records as pending while KMS does not answer, in time, and signs them later', async () => {
    const store = await freshAwsStore();
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    // Nobody listens there: what a key service that is down looks like from here.
    const away = makeSigningClients({ endpoint: 'http://127.0.0.1:9', region: 'us-east-1', credentials });
    const host = inProcessHost({ ...store.clients, kms: away.kms }, store.environment);
    const token = await host.token();
    const declared = await host.call('POST', '/v1/cards', token, { submissions: desk() });
    const outcomes = declared.outcomes as { card_ref: { name: string; uid: string } }[];
    const uidOf = (name: string) => outcomes.find(({ card_ref }) => card_ref.name === name)?.card_ref.uid;
    const started = Date.now();
    const result = await host.call('POST', '/v1/verification/execute', token, {
      verifier_card_uid: uidOf('tone'),
      card_uid: uidOf('desk-agent'),
      inputs: { answer: { kind: 'json', value: 'hello' } },
    });
    expect(result.record).toEqual({ state: 'pending' });
    expect(Date.now() - started).toBeLessThan(5_000);
    const { signPending } = await import('#service/records/sign-pending.ts');
    const log = { info() {}, warn() {}, error() {} };
    expect(await signPending({ ...store.ports, clock: systemClock, log })).toBe(0);
    const state = await host.call('GET', `/v1/verification/executions/${result.execution_id}`, token);
    expect(state.record).toMatchObject({ state: 'signed' });
  });

  it('publishes a new root beside the one before, which ends', async () => {
    const store = await freshAwsStore();
    await store.ports.signer.signAsRoot(payloadTypes.checkpoint, Buffer.from('{}'), Date.now());
    const made = await store.clients.kms.send(
      new CreateKeyCommand({ KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' }),
    );
    const environment = { ...store.environment, [environmentNames.signingKey]: made.KeyMetadata?.Arn ?? '' };
    const later = signingPorts(store.clients, environment, systemClock);
    await Promise.all([
      later.signer.sign(payloadTypes.statement, Buffer.from('{}'), Date.now()),
      signingPorts(store.clients, environment, systemClock).signer.signAsRoot('t', Buffer.from('{}'), Date.now()),
    ]);
    const { keys } = await later.signer.rootKeys();
    expect(keys).toHaveLength(2);
    const [first, second] = keys;
    expect(second?.valid_until).toBeUndefined();
    const ends = Date.parse(first?.valid_until ?? '') - Date.now();
    expect(ends).toBeGreaterThan(hour);
    expect(ends).toBeLessThanOrEqual(2 * hour);
    // A function of the deployment before goes on with its key until then.
    const before = anotherProcess(store, { endpoint: inject('emulator') });
    await before.ports.signer.sign(payloadTypes.statement, Buffer.from('{}'), Date.now());
    const gone = { ...systemClock, now: () => Date.now() + 3 * hour };
    await expect(
      signingPorts(store.clients, store.environment, gone).signer.sign('t', Buffer.from('{}'), gone.now()),
    ).rejects.toThrow('does not sign that time');
  });
});
