import { describe, expect, it } from 'vitest';
import type { Json } from '#contract/json.ts';
import type { Sandbox, SandboxReply, SandboxRequest } from '#service/ports.ts';

const signal = new AbortController().signal;

function request(source: string, rest: Partial<SandboxRequest> = {}): SandboxRequest {
  return { source, entrypoint: 'check', inputs: {}, clock: '2026-12-01T12:30:00Z', timeout_ms: 10_000, ...rest };
}

function seen(reply: SandboxReply): Json {
  if (reply.kind === 'output') return reply.output;
  return reply.kind === 'failure' ? (reply.reason ? [reply.code, reply.reason] : reply.code) : reply.kind;
}

const returning = (expression: string) => `def check():\n    return ${expression}\n`;
const nested = (depth: number) => `eval("[" * ${depth} + "]" * ${depth})`;

const values: readonly [title: string, expression: string, expected: Json][] = [
  ['every kind of value', '[None, True, 1, 1.5, "é", [], {"a": {}}]', [null, true, 1, 1.5, 'é', [], { a: {} }]],
  ['a whole float', '2.0', 2],
  ['a tuple as a list', '(1, (2,))', [1, [2]]],
  ['keys in their order', '{"b": 1, "a": 2, "__proto__": 3}', JSON.parse('{"b": 1, "a": 2, "__proto__": 3}')],
  ['the largest exact integer', '2**53 - 1', 2 ** 53 - 1],
  ['an integer beyond it', '2**53', 'malformed_output'],
  ['NaN', 'float("nan")', 'malformed_output'],
  ['infinity', '-float("inf")', 'malformed_output'],
  ['a set', '{1}', 'malformed_output'],
  ['bytes', 'b"a"', 'malformed_output'],
  ['a key that is no text', '{1: 2}', 'malformed_output'],
  ['a lone surrogate', '"\\ud800"', 'malformed_output'],
  ['the deepest list', `len(str(${nested(1)})) and ${nested(90)}`, JSON.parse('['.repeat(90) + ']'.repeat(90))],
  ['a list that is too deep', 'deep(129)', 'malformed_output'],
  ['a list as deep as allowed', 'deep(128)', JSON.parse('['.repeat(128) + ']'.repeat(128))],
  ['a mebibyte', '"a" * (2**20 - 2)', 'a'.repeat(2 ** 20 - 2)],
  ['a byte more', '"a" * (2**20 - 1)', 'output_limit'],
  ['a mebibyte of two-byte letters', '"é" * (2**19)', 'output_limit'],
];

const deep = 'def deep(n):\n    x = []\n    for _ in range(n - 1):\n        x = [x]\n    return x\n';

const failures: readonly [title: string, source: string, expected: Json][] = [
  ['an exception', 'def check():\n    raise ValueError("evidence")', ['code_exception', 'ValueError']],
  [
    'an exception of its own kind',
    'class E(KeyError): pass\ndef check():\n    raise E("x")',
    ['code_exception', 'KeyError'],
  ],
  ['a syntax error', 'def check(:', ['code_exception', 'SyntaxError']],
  ['an exception while loading', 'raise TypeError', ['code_exception', 'TypeError']],
  ['arguments it does not take', 'def check(a):\n    pass', ['code_exception', 'TypeError']],
  ['a missing module', 'import numpy\ndef check(): pass', ['code_exception', 'ModuleNotFoundError']],
  ['no entrypoint', 'x = 1', 'code_entrypoint_missing'],
  ['an entrypoint that is no function', 'check = 1', 'code_entrypoint_missing'],
  ['a builtin as entrypoint', 'pass', 'code_entrypoint_missing'],
  ['a forbidden call', 'def check():\n    open("/etc/hostname")', 'code_forbidden'],
  [
    'a forbidden call it handles',
    'def check():\n    try:\n        open("/x")\n    except OSError:\n        return 1',
    1,
  ],
  ['too much memory', 'def check():\n    return len("a" * (2 * 1024 ** 3))', 'code_memory'],
];

/** What every Sandbox keeps (docs/spec/verification.md §4.5). */
export function testSandbox(name: string, make: () => Promise<Sandbox>): void {
  describe(`Sandbox: ${name}`, () => {
    it.each(values)('returns %s', async (_title, expression, expected) => {
      const sandbox = await make();
      expect(seen(await sandbox.run(request(deep + returning(expression)), signal))).toEqual(expected);
    });

    it.each(failures)('names %s', async (_title, source, expected) => {
      const sandbox = await make();
      expect(seen(await sandbox.run(request(source), signal))).toEqual(expected);
    });

    it('gives keyword arguments: integers as int, fractions as float, objects as dict, null as None', async () => {
      const sandbox = await make();
      const source = 'def check(*, a, b):\n    return [[type(x).__name__ for x in a], b]\n';
      const inputs = { a: [1, 2.5, 2.0, 'x', true, null, {}, []], b: { é: [1] } };
      expect(seen(await sandbox.run(request(source, { inputs }), signal))).toEqual([
        ['int', 'float', 'int', 'str', 'bool', 'NoneType', 'dict', 'list'],
        { é: [1] },
      ]);
    });

    it('gives the same answer to the same question, whatever chance or time is asked for', async () => {
      const sandbox = await make();
      const source = `
import random, time, datetime, os, uuid, secrets
def check():
    return [random.random(), random.Random().random(), time.time(), time.monotonic(), str(datetime.datetime.now()),
            os.urandom(4).hex(), str(uuid.uuid4()), secrets.randbelow(10**9), list({"x", "y", "z"}), hash("a"), id(check)]
`;
      const [first, second] = [await sandbox.run(request(source), signal), await sandbox.run(request(source), signal)];
      expect(first).toEqual(second);
      expect(first).toMatchObject({ kind: 'output' });
      expect(JSON.stringify(seen(first))).toContain('2026-12-01 12:30:00');
      expect(seen(await sandbox.run(request(`${source}#`), signal))).not.toEqual(seen(first));
    });

    it('keeps nothing between calls', async () => {
      const sandbox = await make();
      const leave = 'import json\njson.left = 1\ndef check():\n    return hasattr(json, "left")';
      const look = 'import json\ndef check():\n    return hasattr(json, "left")';
      expect(seen(await sandbox.run(request(leave), signal))).toBe(true);
      expect(seen(await sandbox.run(request(look), signal))).toBe(false);
    });

    it('keeps 64 KiB of what is printed', async () => {
      const sandbox = await make();
      const some = await sandbox.run(
        request('import sys\ndef check():\n    print("é")\n    sys.stderr.write("e")'),
        signal,
      );
      expect(some).toMatchObject({ kind: 'output', output: null, printed: 'é\ne' });
      const much = await sandbox.run(request('def check():\n    print("a" + "é" * 10**5)'), signal);
      if (much.kind !== 'output') throw new Error('no output');
      expect(Buffer.byteLength(much.printed)).toBe(65_535);
    });

    it('cuts a call at its time, and serves the next', async () => {
      const sandbox = await make();
      const loop = request('def check():\n    while True: pass', { timeout_ms: 300 });
      expect(seen(await sandbox.run(loop, signal))).toBe('code_timeout');
      expect(seen(await sandbox.run(request(returning('1')), signal))).toBe(1);
    });

    it('ends a cancelled call at once', async () => {
      const sandbox = await make();
      const began = performance.now();
      const loop = request('def check():\n    while True: pass', { timeout_ms: 20_000 });
      const cancelled = sandbox.run(loop, AbortSignal.timeout(400));
      expect(await cancelled).toMatchObject({ kind: 'failure', code: 'code_unavailable', retryable: true });
      expect(performance.now() - began).toBeLessThan(10_000);
      expect(await sandbox.run(loop, AbortSignal.abort())).toMatchObject({ code: 'code_unavailable' });
    });
  });
}
