import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { UploadPlan } from '#service/ports/uploads.ts';
import { makeHost, type TestHost } from '#test/support/embedded-host.ts';

/** Uploads pass through the host: what is large must never be held (docs/spec/wire.md §5). */

const mebibyte = 1 << 20;
let host: TestHost;
beforeAll(async () => {
  host = await makeHost();
});
afterAll(() => host[Symbol.asyncDispose]());

/** The same zeros again and again: a sparse file, which costs its sender nothing. */
function* zeros(mebibytes: number, sent: { mebibytes: number }): Generator<Buffer> {
  const one = Buffer.alloc(mebibyte);
  for (; sent.mebibytes < mebibytes; sent.mebibytes += 1) yield one;
}

function digestOf(mebibytes: number): string {
  const hash = createHash('sha256');
  for (const chunk of zeros(mebibytes, { mebibytes: 0 })) hash.update(chunk);
  return hash.digest('hex');
}

const plan = (sha256: string, size_bytes: number) =>
  host.call('POST', '/v1/verification/evidence', { body: { files: [{ sha256, size_bytes }] } });

/** Sends a body of unknown length; null when the host closed before it answered. */
function put(path: string, body: Iterable<Buffer>): Promise<number | null> {
  return new Promise((resolve) => {
    const headers = { 'x-wyrd-access-token': 'Bearer anything', 'content-type': 'application/octet-stream' };
    const sending = request(host.url + path, { method: 'PUT', headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? null);
    });
    sending.on('error', () => resolve(null));
    Readable.from(body)
      .on('error', () => {})
      .pipe(sending);
  });
}

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** The most that was held beside the start while `work` ran. */
async function mostHeld(work: () => Promise<void>): Promise<number> {
  const held = () => {
    // What nobody holds any more is no memory that an upload takes.
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const start = held();
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, held() - start);
  }, 20);
  await work();
  clearInterval(timer);
  return most;
}

it('50 MiB are streamed to their name', async () => {
  const sha256 = digestOf(50);
  const planned = await plan(sha256, 50 * mebibyte);
  const [{ plan: upload }] = planned.json.uploads as readonly [{ plan: UploadPlan }];
  if (upload.protocol !== 'local_fs') throw new Error('this host stores bytes itself');
  const most = await mostHeld(async () => {
    expect(await put(upload.data.put_url, zeros(50, { mebibytes: 0 }))).toBe(200);
  });
  expect(most).toBeLessThan(16 * mebibyte);
  expect((await plan(sha256, 50 * mebibyte)).json.uploads).toEqual([]);
});

it('500 MiB are refused when they are declared', async () => {
  const refused = await plan('a'.repeat(64), 500 * mebibyte);
  expect(refused.json).toMatchObject({ status: 413, code: 'WYRD_VERIFICATION_413_INPUT_TOO_LARGE' });
});

it('500 MiB that were declared as three bytes are not read to their end', async () => {
  const planned = await plan('b'.repeat(64), 3);
  const [{ plan: upload }] = planned.json.uploads as readonly [{ plan: UploadPlan }];
  if (upload.protocol !== 'local_fs') throw new Error('this host stores bytes itself');
  const sent = { mebibytes: 0 };
  const most = await mostHeld(async () => {
    expect([400, null]).toContain(await put(upload.data.put_url, zeros(500, sent)));
  });
  expect(sent.mebibytes).toBeLessThan(40);
  expect(most).toBeLessThan(16 * mebibyte);
});
