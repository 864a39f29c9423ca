import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { decodeReport } from '#adapters/sandbox/frames.ts';
import { findNodeBinary } from '#adapters/sandbox/node-binary.ts';
import { toReply } from '#adapters/sandbox/reply.ts';
import { createSandbox } from '#adapters/sandbox/sandbox.ts';
import { testSandbox } from '#test/ports/sandbox.ts';

const folder = await mkdtemp(join(tmpdir(), 'touchstone-sandbox-test-'));
const cache = join(folder, 'cache');
const shared = createSandbox({ cache, waiting: 2 });
const signal = new AbortController().signal;
const question = {
  source: 'def check():\n    return 1',
  entrypoint: 'check',
  inputs: {},
  clock: '2026-12-01T00:00:00Z',
  timeout_ms: 10_000,
};

afterAll(async () => {
  await shared.close();
  await rm(folder, { recursive: true, force: true });
});

testSandbox('locked process', async () => shared);

describe('the locked process', () => {
  it('has a Node of its own, and the project keeps its own', () => {
    expect(execFileSync(findNodeBinary() ?? '', ['--version']).toString()).toMatch(/^v26\./);
    expect(process.version).toMatch(/^v24\./);
  });

  it.each([
    ['is missing', null],
    ['does not start', '/bin/false'],
    ['is one that does not lock', process.execPath],
  ])('runs nothing when its binary %s', async (_title, node) => {
    const sandbox = createSandbox({ cache: join(folder, 'unused'), node });
    expect(await sandbox.run(question, signal)).toMatchObject({
      kind: 'failure',
      code: 'code_unavailable',
      retryable: true,
    });
    await sandbox.close();
  });

  it('makes a damaged snapshot anew, to the same bytes', async () => {
    const read = async () => {
      const [name = ''] = await readdir(cache);
      return { path: join(cache, name, 'snapshot'), bytes: await readFile(join(cache, name, 'snapshot')) };
    };
    await shared.run(question, signal);
    const good = await read();
    await writeFile(good.path, good.bytes.subarray(1));
    const sandbox = createSandbox({ cache });
    expect(await sandbox.run(question, signal)).toMatchObject({ kind: 'output', output: 1 });
    await sandbox.close();
    expect((await read()).bytes.equals(good.bytes)).toBe(true);
  });

  it('works without a cache, and leaves nothing behind', async () => {
    const ours = async () => (await readdir(tmpdir())).filter((name) => /^touchstone-sandbox-\w{6}$/.test(name));
    const before = await ours();
    await writeFile(join(folder, 'file'), '');
    const sandbox = createSandbox({ cache: join(folder, 'file', 'cache') });
    expect(await sandbox.run(question, signal)).toMatchObject({ kind: 'output', output: 1 });
    await sandbox.close();
    expect(await ours()).toEqual(before);
    expect(await sandbox.run(question, signal)).toMatchObject({ code: 'code_unavailable' });
  });

  it('is busy when too many calls wait, and serves those that do', async () => {
    const sandbox = createSandbox({ cache, queue: 2 });
    const replies = await Promise.all(Array.from({ length: 5 }, () => sandbox.run(question, signal)));
    expect(replies.map(({ kind }) => kind).sort()).toEqual(['busy', 'busy', 'output', 'output', 'output']);
    await sandbox.close();
  });

  it.each([
    ['a source', { source: `#${'a'.repeat(1 << 20)}` }, 'code_memory'],
    ['inputs', { inputs: { a: 'a'.repeat(33 << 20) } }, 'code_memory'],
    ['an entrypoint', { entrypoint: 'a b' }, 'code_entrypoint_missing'],
    ['a clock', { clock: 'noon' }, 'code_unavailable'],
  ])('refuses %s outside its bounds', async (_title, part, code) => {
    expect(await shared.run({ ...question, ...part }, signal)).toMatchObject({ kind: 'failure', code });
  });
});

describe('a hostile report', () => {
  const report = (body: string | Uint8Array) =>
    toReply({ printed: new Uint8Array(), body: typeof body === 'string' ? Buffer.from(body) : body }, 'build');

  it.each([
    ['no JSON', 'O{'],
    ['nothing', ''],
    ['an unknown kind', 'X1'],
    ['an unknown code', 'Ecode_timeout'],
    ['a code of another part', 'Eprovider_error'],
    ['a lone surrogate', 'O"\\ud800"'],
    ['a number beyond all', 'O1e999'],
    ['depth', `O${'['.repeat(5000)}${']'.repeat(5000)}`],
    ['bytes that are no text', new Uint8Array([79, 34, 255, 34])],
  ])('with %s is malformed', (_title, body) => {
    expect(report(body)).toMatchObject({ kind: 'failure', code: 'malformed_output', retryable: false });
  });

  it('tells an exception by its builtin name only', () => {
    expect(report('Ecode_exception KeyError')).toMatchObject({ reason: 'KeyError' });
    expect(report('Ecode_exception SecretName')).not.toHaveProperty('reason');
  });

  it('is read up to its declared length, within bounds', () => {
    expect(decodeReport(Buffer.from([0, 0, 0]))).toBe('partial');
    expect(decodeReport(Buffer.from([0, 0, 0, 0, 0, 0, 0, 2, 1]))).toBe('partial');
    expect(decodeReport(Buffer.from([0, 0, 0, 0, 0, 0, 0, 1, 1, 2]))).toBe('broken');
    expect(decodeReport(Buffer.from([0, 1, 0, 1, 0, 0, 0, 0]))).toBe('broken');
    expect(decodeReport(Buffer.from([0, 0, 0, 0, 0xff, 0, 0, 0]))).toBe('broken');
  });
});
