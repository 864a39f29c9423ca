import { describe, expect, it } from 'vitest';
import { boundedArchives, workerArchives } from '#adapters/extract/archives.ts';
import { makeZip } from '#test/support/documents/make-zip.ts';

const signal = () => new AbortController().signal;

describe.each([
  ['in this thread', boundedArchives()],
  ['in a worker', workerArchives()],
])('containers of workspaces, read %s', (_, archives) => {
  it('give their files', async () => {
    const read = await archives.read('zip', makeZip([{ name: 'a/x.txt', content: 'in it' }]), signal());
    if (read.kind !== 'files') throw new Error(read.code);
    expect([...read.files].map(([name, bytes]) => [name, Buffer.from(bytes).toString()])).toEqual([
      ['a/x.txt', 'in it'],
    ]);
  });

  it.each([
    ['that inflate too far', makeZip([{ name: 'big', content: '0'.repeat(30_000_000) }]), 'extract_limit'],
    ['that are none', Buffer.from('no container'), 'extract_unreadable'],
    ['with a path that leads elsewhere', makeZip([{ name: '../x', content: 'x' }]), 'extract_unreadable'],
  ])('%s fail by a code', async (_case, bytes, code) => {
    expect(await archives.read('zip', bytes, signal())).toEqual({ kind: 'failure', code, retryable: false });
  });

  it('are left when the call ends', async () => {
    const stopped = AbortSignal.abort(new Error('enough'));
    await expect(archives.read('zip', makeZip([]), stopped)).rejects.toThrow('enough');
  });
});
