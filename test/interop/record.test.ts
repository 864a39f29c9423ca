import { execFile } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { delegatedSigner } from '#adapters/aws/signer.ts';
import type { PublishedKey } from '#adapters/aws/signing/published-keys.ts';
import { rawSignature } from '#adapters/aws/signing/read-der.ts';
import type { KeySet, SignedRecord } from '#contract/record.ts';
import { openStore } from '#local/open-store.ts';
import type { Signer } from '#service/ports/signer.ts';
import { preAuthenticationEncoding, publicHalf } from '#service/records/sign-payload.ts';
import { desk, makeHost, toneSpec, uidsOf } from '#test/support/embedded-host.ts';
import { inFolder } from '#test/support/temporary-folder.ts';
import { pythonOfStrangers } from './python-environment.ts';

const run = promisify(execFile);
let python: string;
beforeAll(async () => {
  python = await pythonOfStrangers();
}, 300_000);

/** Signs as on AWS, with a root key of this process in place of KMS: P-256 that answers in DER. */
function signerAsOnAws(): Signer {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { kid, jwk } = publicHalf(privateKey);
  if (jwk.kty !== 'EC') throw new Error('not P-256');
  const row: PublishedKey = { ...jwk, kid, alg: 'ES256', valid_from: '2026-01-01T00:00:00.000Z' };
  const root = {
    publicKey: async () => ({ kid, jwk }),
    sign: async (type: string, payload: Uint8Array) => {
      const der = sign('sha256', preAuthenticationEncoding(type, payload), privateKey);
      return { keyid: kid, sig: Buffer.from(rawSignature(der)).toString('base64') };
    },
  };
  return delegatedSigner(root, { all: async () => [row], ensure: async () => row }, Date.now);
}

interface Handed {
  readonly id: string;
  readonly digest: string;
  readonly exported: { readonly record: SignedRecord; readonly keys: KeySet };
}

async function judged(signer?: Signer): Promise<Handed> {
  const options = { openStore: async (data: string) => ({ ...(await openStore(data)), ...(signer && { signer }) }) };
  await using host = await makeHost({}, options);
  const uids = uidsOf(await host.declare(desk({ version: '1.0.0' }, toneSpec)));
  const inputs = { answer: { kind: 'json', value: 'a sure thing' } };
  const body = { verifier_card_uid: uids.tone, card_uid: uids['desk-agent'], inputs };
  const { execution_id: id } = (await host.call('POST', '/v1/verification/execute', { body })).json;
  const exported = (await host.call('GET', `/v1/records/${id}`)).json;
  const said = JSON.parse(Buffer.from(exported.record.envelope.payload, 'base64').toString('utf8'));
  return { id, digest: said.subject[0].digest.sha256, exported };
}

const hosts: readonly [string, () => Signer | undefined][] = [
  ['the embedded host', () => undefined],
  ['a root of P-256 and a delegated key', signerAsOnAws],
];

describe.each(hosts)('a record of %s', (_name, signerOf) => {
  let handed: Handed;
  beforeAll(async () => {
    handed = await judged(signerOf());
  });
  const read = (folder: string) =>
    run(python, [join(import.meta.dirname, 'read_record.py'), join(folder, 'record.json'), join(folder, 'keys.json')]);
  const filesOf = ({ record, keys }: Handed['exported']) => ({
    'record.json': JSON.stringify(record),
    'keys.json': JSON.stringify(keys),
  });

  it('is verified by securesystemslib and read by in-toto-attestation', async () => {
    await inFolder(filesOf(handed.exported), async (folder) => {
      const { stdout } = await read(folder);
      expect(JSON.parse(stdout)).toEqual({
        type: 'https://in-toto.io/Statement/v1',
        predicate_type: 'https://touchstone.dev/verification/v1',
        name: `execution/${handed.id}`,
        sha256: handed.digest,
        verdict: 'failed',
      });
    });
  });

  it('is refused by them when one byte of it was changed', async () => {
    const { record, keys } = handed.exported;
    const payload = Buffer.from(record.envelope.payload, 'base64').toString('utf8').replace('"failed"', '"passed"');
    const envelope = { ...record.envelope, payload: Buffer.from(payload).toString('base64') };
    await inFolder(filesOf({ record: { ...record, envelope }, keys }), async (folder) => {
      await expect(read(folder)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('refused') });
    });
  });

  it('is verified by OpenSSL', async () => {
    const { record, keys } = handed.exported;
    const root = keys.keys[0];
    if (root === undefined) throw new Error('no key');
    const delegated = record.delegation;
    const signer = delegated === undefined ? root : JSON.parse(atob(delegated.payload)).key;
    await inFolder({}, async (folder) => {
      if (delegated !== undefined) expect(await openssl(folder, root, delegated)).toContain('Verified OK');
      expect(await openssl(folder, signer, record.envelope)).toContain('Verified Successfully');
    });
  });
});

/** What OpenSSL says of the first signature of an envelope. */
async function openssl(
  folder: string,
  jwk: { readonly kty: string; readonly [member: string]: unknown },
  { payloadType, payload, signatures }: SignedRecord['envelope'],
): Promise<string> {
  const file = (name: string) => join(folder, name);
  const raw = Buffer.from(signatures[0]?.sig ?? '', 'base64');
  const key = createPublicKey({ format: 'jwk', key: { ...jwk } });
  await writeFile(file('key.pem'), key.export({ format: 'pem', type: 'spki' }));
  await writeFile(file('message'), preAuthenticationEncoding(payloadType, Buffer.from(payload, 'base64')));
  if (jwk.kty === 'OKP') {
    await writeFile(file('signature'), raw);
    const words = '-verify -pubin -rawin -inkey key.pem -in message -sigfile signature'.split(' ');
    return (await run('openssl', ['pkeyutl', ...words], { cwd: folder })).stdout;
  }
  await writeFile(file('numbers.cnf'), asn1Of(raw));
  await run('openssl', ['asn1parse', '-genconf', 'numbers.cnf', '-noout', '-out', 'signature'], { cwd: folder });
  const words = '-sha256 -verify key.pem -signature signature message'.split(' ');
  return (await run('openssl', ['dgst', ...words], { cwd: folder })).stdout;
}

/** OpenSSL builds the DER itself from the two numbers. */
function asn1Of(raw: Uint8Array): string {
  const hex = (part: Uint8Array) => `0x${Buffer.from(part).toString('hex')}`;
  return `asn1=SEQUENCE:numbers\n[numbers]\nr=INTEGER:${hex(raw.subarray(0, 32))}\ns=INTEGER:${hex(raw.subarray(32))}\n`;
}
