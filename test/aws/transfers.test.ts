import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AwsStore, freshAwsStore } from '#test/support/aws-store.ts';
import { pendingUpload } from '#test/support/stored-things.ts';

let store: AwsStore;
beforeAll(async () => {
  store = await freshAwsStore();
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

async function planFor(text: string) {
  const upload = pendingUpload({ sha256: sha256(text), size_bytes: Buffer.byteLength(text) });
  const plan = await store.ports.transfers.uploadPlan('acme', upload);
  if (plan.protocol !== 'single_put') throw new Error('not a single_put plan');
  const headers = Object.fromEntries(plan.data.required_headers.map(({ name, value }) => [name, value]));
  return { upload, url: plan.data.put_url, headers, data: plan.data };
}

const put = (url: string, headers: Record<string, string>, body: string) =>
  fetch(url, { method: 'PUT', headers, body });
const held = async (digest: string) => (await store.ports.evidence.sizes('acme', [digest])).get(digest);

describe('links for uploads', () => {
  it('sign the digest and the length, and say what to send (docs/spec/wire.md §5.3)', async () => {
    const { url, data } = await planFor('hello');
    const query = new URL(url).searchParams;
    expect(query.get('X-Amz-SignedHeaders')).toBe('content-length;host;x-amz-checksum-sha256');
    expect(query.get('X-Amz-Expires')).toBe('900');
    expect(data).toMatchObject({ ttl_secs: 900, required_headers: [{ name: 'x-amz-checksum-sha256' }] });
    // Nothing about a checksum is left to the link alone, where it would bind no bytes.
    expect([...query.keys()].filter((name) => /checksum|sdk-checksum/i.test(name))).toEqual([]);
  });

  it('take the bytes, again, and at the same time', async () => {
    const { url, headers, upload } = await planFor('again and again');
    const answers = await Promise.all([put(url, headers, 'again and again'), put(url, headers, 'again and again')]);
    const third = await put(url, { ...headers, 'idempotency-key': 'any-key-of-the-client' }, 'again and again');
    expect([...answers, third].map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect(await held(upload.sha256)).toBe(upload.size_bytes);
    expect(Buffer.from((await store.ports.evidence.read('acme', upload.sha256)) ?? []).toString()).toBe(
      'again and again',
    );
  });

  it('take the empty file', async () => {
    const { url, headers, upload } = await planFor('');
    expect((await put(url, headers, '')).status).toBe(200);
    expect(await held(upload.sha256)).toBe(0);
  });

  it.each<[string, (url: string, headers: Record<string, string>) => Promise<Response>]>([
    ['other bytes of the same length', (url, headers) => put(url, headers, 'HELLO WORLD')],
    ['without the checksum header', (url) => put(url, {}, 'hello world')],
    ['with another checksum', (url) => put(url, { 'x-amz-checksum-sha256': btoa('x'.repeat(32)) }, 'hello world')],
    ['to another name', (url, headers) => put(url.replace('/acme/', '/other/'), headers, 'hello world')],
    ['with a longer life', (url, headers) => put(url.replace('Expires=900', 'Expires=9000'), headers, 'hello world')],
  ])('refuse %s', async (_case, send) => {
    const { url, headers, upload } = await planFor('hello world');
    const answer = await send(url, headers);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(await held(upload.sha256)).toBeUndefined();
    expect(await store.ports.evidence.read('acme', upload.sha256)).toBeNull();
  });

  it.each(['hello worl', 'hello world and more'])('refuse the wrong length: %s', async (body) => {
    const { url, headers, upload } = await planFor('hello world');
    expect((await put(url, headers, body)).status).toBeGreaterThanOrEqual(400);
    expect(await held(upload.sha256)).toBeUndefined();
  });
});

describe('links for downloads', () => {
  it('give the bytes to be saved, never to be shown', async () => {
    const { url, headers, upload } = await planFor('<script>alert(1)</script>');
    await put(url, headers, '<script>alert(1)</script>');
    const file = { card_uid: 'c', relative_path: 'a.html', sha256: upload.sha256 };
    const link = await store.ports.transfers.downloadUrl('acme', file, 60);
    const answer = await fetch(link);
    expect(await answer.text()).toBe('<script>alert(1)</script>');
    expect(answer.headers.get('content-disposition')).toBe('attachment');
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(new URL(link).searchParams.get('X-Amz-Expires')).toBe('60');
  });
});

describe('evidence that is not what its name says', () => {
  it('is not counted; whoever reads it gets it as it is and checks', async () => {
    const { PutObjectCommand } = await import('@aws-sdk/client-s3');
    const name = sha256('true');
    const Bucket = store.environment.TOUCHSTONE_EVIDENCE_BUCKET;
    await store.clients.s3.send(new PutObjectCommand({ Bucket, Key: `acme/evidence/${name}`, Body: 'fake' }));
    expect(await held(name)).toBeUndefined();
    expect(Buffer.from((await store.ports.evidence.read('acme', name)) ?? []).toString()).toBe('fake');
  });

  it('is looked for a hundred digests at a time', async () => {
    const digests = Array.from({ length: 100 }, (_unused, index) => sha256(`none ${index}`));
    const there = await planFor('one of a hundred');
    await put(there.url, there.headers, 'one of a hundred');
    const sizes = await store.ports.evidence.sizes('acme', [...digests, there.upload.sha256, there.upload.sha256]);
    expect([...sizes]).toEqual([[there.upload.sha256, 16]]);
  });
});
