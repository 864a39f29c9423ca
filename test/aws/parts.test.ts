import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { bucketTransfers } from '#adapters/aws/transfers.ts';
import { systemClock, systemIds } from '#adapters/embedded/system.ts';
import { sendUpload } from '#sdk/send-upload.ts';
import { createTransport } from '#sdk/transport.ts';
import { completeUpload, partUrl } from '#service/evidence/receive-upload.ts';
import type { PartTransfers, Transfers, Upload } from '#service/ports/uploads.ts';
import { type AwsStore, anotherProcess, freshAwsStore } from '#test/support/aws-store.ts';
import { pendingUpload } from '#test/support/stored-things.ts';

/** Files of Artifacts over 100 MiB, here over 6 MiB in parts of 5 MiB (docs/spec/wire.md §5.2). */

const mebibyte = 1 << 20;
let store: AwsStore;
let transfers: Transfers;
let parts: PartTransfers;
beforeAll(async () => {
  store = await freshAwsStore();
  const { TOUCHSTONE_EVIDENCE_BUCKET: evidence, TOUCHSTONE_VALUES_BUCKET: values } = store.environment;
  const sizes = { whole_up_to: 6 * mebibyte, part: 5 * mebibyte };
  transfers = bucketTransfers(store.clients.s3, evidence, values, sizes);
  parts = transfers.parts as PartTransfers;
});

const file = (size: number) => randomBytes(size);
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const held = async (sha256: string) => (await store.ports.evidence.sizes('acme', [sha256])).get(sha256);

function session(bytes: Uint8Array, change: Partial<Upload> = {}): Upload {
  return pendingUpload({ purpose: 'artifact', sha256: digest(bytes), size_bytes: bytes.byteLength, ...change });
}

async function send(upload: Upload, bytes: Uint8Array, part: number): Promise<number> {
  const made = await parts.partUrl('acme', upload, part);
  const body = new Uint8Array(bytes.subarray((part - 1) * 5 * mebibyte, part * 5 * mebibyte));
  return (await fetch(made?.url ?? '', { method: 'PUT', body })).status;
}

describe('a large file of an Artifact', () => {
  it('travels in parts, in any order, some of them twice, and gets its name when the digest is right', async () => {
    const bytes = file(11 * mebibyte);
    const upload = session(bytes);
    expect(await transfers.uploadPlan('acme', upload)).toEqual({
      protocol: 'multipart',
      data: { part_count: 3, part_size_bytes: 5 * mebibyte, part_url_ttl_secs: 900, required_headers: [] },
    });
    expect(await Promise.all([3, 1, 1].map((part) => send(upload, bytes, part)))).toEqual([200, 200, 200]);
    expect(await parts.assemble('acme', upload)).toBe('incomplete');
    expect(await held(upload.sha256)).toBeUndefined();
    expect(await send(upload, bytes, 2)).toBe(200);
    expect(await parts.assemble('acme', upload)).toBe('stored');
    expect(await held(upload.sha256)).toBe(bytes.byteLength);
    expect(digest((await store.ports.evidence.read('acme', upload.sha256)) ?? new Uint8Array())).toBe(upload.sha256);
    expect(await parts.assemble('acme', upload)).toBe('stored');
  });

  it('of other bytes never gets the name, and what has it stays', async () => {
    const bytes = file(7 * mebibyte);
    const upload = session(bytes);
    for (const part of [1, 2]) await send(upload, bytes, part);
    await parts.assemble('acme', upload);
    const liar = session(bytes);
    for (const part of [1, 2]) await send(liar, file(7 * mebibyte), part);
    expect(await parts.assemble('acme', liar)).toBe('sha256_mismatch');
    expect(digest((await store.ports.evidence.read('acme', upload.sha256)) ?? new Uint8Array())).toBe(upload.sha256);
  });

  it('is stored when its right parts come after wrong ones', async () => {
    const bytes = file(7 * mebibyte);
    const upload = session(bytes);
    const wrong = file(7 * mebibyte);
    for (const part of [1, 2]) await send(upload, wrong, part);
    expect(await parts.assemble('acme', upload)).toBe('sha256_mismatch');
    for (const part of [1, 2]) await send(upload, bytes, part);
    expect(await parts.assemble('acme', upload)).toBe('stored');
  });

  it('goes on where a call ended that ran out of its time', async () => {
    const bytes = file(7 * mebibyte);
    const upload = session(bytes);
    for (const part of [1, 2]) await send(upload, bytes, part);
    const { s3 } = anotherProcess(store).clients;
    const sent: string[] = [];
    let copiesLeft = 0;
    s3.middlewareStack.add((next, { commandName = '' }) => async (given) => {
      sent.push(commandName);
      if (commandName === 'CopyObjectCommand' && copiesLeft-- === 0) throw new Error('the time of the call is over');
      return next(given);
    });
    const { TOUCHSTONE_EVIDENCE_BUCKET: evidence, TOUCHSTONE_VALUES_BUCKET: values } = store.environment;
    const sizes = { whole_up_to: 6 * mebibyte, part: 5 * mebibyte };
    const slow = bucketTransfers(s3, evidence, values, sizes).parts as PartTransfers;
    const joins = () => sent.filter((name) => name === 'CreateMultipartUploadCommand').length;
    for (const copies of [0, 1]) {
      copiesLeft = copies;
      await expect(slow.assemble('acme', upload)).rejects.toThrow();
    }
    copiesLeft = 9;
    expect(await slow.assemble('acme', upload)).toBe('stored');
    expect([joins(), sent.filter((name) => name === 'CopyObjectCommand').length]).toEqual([1, 4]);
  });

  it('takes no part of another length, nor a part it does not have', async () => {
    const bytes = file(7 * mebibyte);
    const upload = session(bytes);
    const made = await parts.partUrl('acme', upload, 2);
    const answer = await fetch(made?.url ?? '', { method: 'PUT', body: new Uint8Array(3 * mebibyte) });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await parts.partUrl('acme', upload, 3)).toBeNull();
  });

  it.each([
    ['evidence', { purpose: 'evidence' }],
    ['a file that is not large', { size_bytes: 6 * mebibyte }],
  ] as const)('is what %s is not', async (_, change) => {
    const upload = session(file(10), { size_bytes: 7 * mebibyte, ...change });
    expect((await transfers.uploadPlan('acme', upload)).protocol).toBe('single_put');
    expect(await parts.partUrl('acme', upload, 1)).toBeNull();
    expect(await parts.assemble('acme', upload)).toBe('incomplete');
  });
});

describe('the client', () => {
  const principal = {
    tenant: 'acme',
    id: 'k',
    permissions: new Set(['artifacts:write'] as const),
    verifier_uids: null,
    card_uid: null,
  };

  /** The two routes that a large file needs; every other address is the object store. */
  async function client() {
    const ports = { ...store.ports, clock: systemClock, ids: systemIds, transfers };
    const answer = (body: object) => Response.json(body);
    const serve: typeof fetch = async (input, init) => {
      const url = new URL(String(input));
      const [, id = '', call = ''] = /^\/v1\/cards\/upload\/([^/]+)\/([a-z-]+)$/.exec(url.pathname) ?? [];
      if (call === 'part-url')
        return answer(await partUrl(ports, principal, id, Number(url.searchParams.get('part_number'))));
      if (call === 'complete') return answer({ stored: await completeUpload(ports, principal, id) });
      return fetch(input, init);
    };
    return createTransport({ url: 'http://127.0.0.1:1', credential: { accessToken: 't' }, fetch: serve });
  }

  it('sends the parts and settles the session', async () => {
    const bytes = file(12 * mebibyte);
    const upload = session(bytes, { created_at: Date.now() });
    await store.ports.uploads.open('acme', [upload]);
    const plan = (await transfers.uploadPlan('acme', upload)) as Parameters<typeof sendUpload>[1]['plan'];
    await sendUpload(await client(), { upload_id: upload.upload_id, plan }, new Uint8Array(bytes), 'key-1');
    expect(await held(upload.sha256)).toBe(bytes.byteLength);
    expect((await store.ports.uploads.find('acme', upload.upload_id))?.status).toBe('completed');
  });

  it('fails the session whose bytes have another digest', async () => {
    const bytes = file(7 * mebibyte);
    const upload = session(bytes, { sha256: digest(file(8)), created_at: Date.now() });
    await store.ports.uploads.open('acme', [upload]);
    const plan = (await transfers.uploadPlan('acme', upload)) as Parameters<typeof sendUpload>[1]['plan'];
    await expect(
      sendUpload(await client(), { upload_id: upload.upload_id, plan }, new Uint8Array(bytes), 'key-2'),
    ).rejects.toThrow();
    expect((await store.ports.uploads.find('acme', upload.upload_id))?.status).toBe('failed');
  });
});
