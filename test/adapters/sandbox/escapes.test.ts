import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createSandbox } from '#adapters/sandbox/sandbox.ts';
import type { Json } from '#contract/json.ts';
import type { SandboxReply } from '#service/ports.ts';

interface Attempt {
  readonly id: string;
  readonly title: string;
  readonly source: string;
  /** A failure code, `output`, or `contained`: any answer that shows nothing. */
  readonly expect: string;
  readonly output?: Json;
  readonly timeout_ms?: number;
}

const attempts: readonly Attempt[] = parse(await readFile(new URL('./escapes.yaml', import.meta.url), 'utf8'));
const secret = 'canary-4f1d9c';
const signal = new AbortController().signal;
const folder = await mkdtemp(join(tmpdir(), 'touchstone-escapes-'));
const canary = join(folder, 'canary');
const sandbox = createSandbox({ cache: join(folder, 'cache'), waiting: 2 });
/** Each process serves one call, so most attempts cannot reach the next: all are followed by the probe in long runs. */
const everyTime = process.env.TOUCHSTONE_LONG === '1';
let count = 0;
let connections = 0;
let untouched: SandboxReply;
const server = createServer((socket) => {
  connections += 1;
  socket.destroy();
});

const probe = {
  source: `
import json, random, builtins
def check():
    try:
        open("/file")
        files = "open"
    except PermissionError:
        files = "refused"
    return [json.dumps([1]), random.random(), len("abc"), files, sorted(vars(builtins)) == before]
before = sorted(vars(builtins))
`,
  entrypoint: 'check',
  inputs: {},
  clock: '2026-12-01T00:00:00Z',
  timeout_ms: 10_000,
};

async function outside() {
  const { mtimeMs, mode } = await stat(canary);
  const names = await readdir(folder);
  return { text: await readFile(canary, 'utf8'), mtimeMs, mode, names, connections, parent: process.pid };
}

beforeAll(async () => {
  await writeFile(canary, secret);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  untouched = await sandbox.run(probe, signal);
}, 60_000);

afterAll(async () => {
  await sandbox.close();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

describe('what judged code tries', () => {
  it('is judged against an interpreter that works', () => {
    expect(untouched).toMatchObject({ kind: 'output', output: ['[1]', expect.any(Number), 3, 'refused', true] });
  });

  it('is a suite of some size', () => {
    expect(attempts.length).toBeGreaterThan(100);
    expect(new Set(attempts.map(({ id }) => id)).size).toBe(attempts.length);
  });

  it.each(attempts)('$id: $title', async ({ source, expect: outcome, output, timeout_ms }) => {
    const before = await outside();
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const reply = await sandbox.run(
      { ...probe, source, inputs: { canary, port }, timeout_ms: timeout_ms ?? 4000 },
      signal,
    );
    const seen = reply.kind === 'failure' ? reply.code : reply.kind;
    if (outcome === 'contained') expect(seen).not.toBe('code_unavailable');
    else expect(seen).toBe(outcome);
    if (output !== undefined) expect(reply).toMatchObject({ output });
    expect(JSON.stringify(reply)).not.toMatch(new RegExp(`${secret}|root:|${process.version}`));
    expect(await outside()).toEqual(before);

    count += 1;
    const ended = seen === 'code_timeout' || seen === 'code_memory';
    if (everyTime || ended || count % 6 === 0) expect(await sandbox.run(probe, signal)).toEqual(untouched);
  });
});
