import { describe, expect, it } from 'vitest';
import { call, sha256, upload } from './target.ts';

const fresh = () => Buffer.from(`evidence ${Math.random()}`);

describe('evidence', () => {
  it('is asked for once', async () => {
    const bytes = fresh();
    expect(await upload(bytes)).toEqual([200]);
    expect(await upload(bytes)).toEqual([]);
  });

  it('is refused when its bytes are not those declared, and is then still asked for', async () => {
    const [declared, other] = [fresh(), fresh()];
    const sent = other.subarray(0, declared.byteLength);
    const wrong = Buffer.concat([sent, Buffer.alloc(declared.byteLength - sent.byteLength)]);
    const [status] = await upload(Buffer.from(wrong), sha256(declared));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(await upload(declared)).toEqual([200]);
  });

  it('is one file when two clients bring it at the same time', async () => {
    const bytes = fresh();
    const statuses = (await Promise.all([upload(bytes), upload(bytes)])).flat();
    expect(statuses.every((status) => status === 200)).toBe(true);
    expect(await upload(bytes)).toEqual([]);
  });

  it('has a bound', async () => {
    const body = { files: [{ sha256: 'a'.repeat(64), size_bytes: 100 * 1024 * 1024 + 1 }] };
    expect((await call('POST', '/v1/verification/evidence', { body })).status).toBe(413);
  });
});
