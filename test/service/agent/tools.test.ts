import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '#contract/json.ts';
import type { AgentWork } from '#engine/run/work.ts';
import { canonical, sha256Hex } from '#engine/values/canonical.ts';
import { rolePermissions } from '#service/auth/permissions.ts';
import {
  type AgentAsked,
  type AgentBench,
  asks,
  judges,
  mediaFile,
  openAgentBench,
  toldBy,
  valueFile,
} from '#test/support/agent-bench.ts';
import { makePages } from '#test/support/documents/make-pdf.ts';
import { makeZip } from '#test/support/documents/make-zip.ts';

let bench: AgentBench;
beforeAll(async () => {
  bench = await openAgentBench();
});
afterAll(() => bench[Symbol.asyncDispose]());

const allFiles = ['fs.list', 'fs.read', 'fs.search', 'fs.extract', 'code.run'];

/** The workspace that most rows look at. */
async function workspace(): Promise<AgentWork['workspace']> {
  return [
    valueFile('/inputs/order', { id: 7, items: [{ sku: 'a/b', price: 2 }] }),
    mediaFile('/inputs/notes', await bench.pin('first\r\nsecond: refund\nthird', 'markdown'), 'notes'),
    mediaFile('/inputs/scan', await bench.pin(makePages(['Page one', 'Refund of 12 euro']), 'pdf'), 'scan'),
    mediaFile(
      '/inputs/files',
      await bench.pin(
        makeZip([
          { name: 'a/x.txt', content: 'in the archive' },
          { name: 'b.bin', content: '\u0000' },
        ]),
        'zip',
      ),
      'pack',
    ),
  ];
}

async function run(calls: readonly (readonly [string, Json])[], asked: Partial<AgentAsked> = {}) {
  const performed = await bench.perform({
    replies: [...calls.map((call) => asks(call)), judges('failed')],
    ...asked,
    work: { tool_names: allFiles, workspace: await workspace(), ...asked.work },
  });
  return { ...performed, told: toldBy(performed.requests.at(-1)) };
}

describe('the workspace', () => {
  test('lists values as JSON files, media as files, archives as folders', async () => {
    const { told, result, tool_calls } = await run([['fs.list', {}]]);
    expect(told[0]).toEqual({
      entries: [
        { path: '/inputs/files/a/x.txt', size_bytes: 14, format: 'text' },
        { path: '/inputs/files/b.bin', size_bytes: 1, format: null },
        { path: '/inputs/notes', size_bytes: 27, format: 'markdown' },
        { path: '/inputs/order', size_bytes: expect.any(Number), format: 'json' },
        { path: '/inputs/scan', size_bytes: expect.any(Number), format: 'pdf' },
      ],
      truncated: false,
    });
    expect(result).toMatchObject({ kind: 'verdict', verdict: { outcome: 'failed' } });
    expect(tool_calls).toEqual([
      {
        tool: 'fs.list',
        arguments: {},
        output_sha256: sha256Hex(canonical(told[0] as Json)),
        returned_bytes: Buffer.byteLength(JSON.stringify(told[0])),
      },
    ]);
  });

  test.each<[string, JsonObject, object]>([
    [
      'a value, each line with its pointer',
      { path: '/inputs/order' },
      {
        slots: ['doc'],
        total_lines: 9,
        lines: [
          { line: 1, text: '{', locator: { json_pointer: '' } },
          { line: 2, text: '  "id": 7,', locator: { json_pointer: '/id' } },
          { line: 3, text: '  "items": [', locator: { json_pointer: '/items' } },
          { line: 4, locator: { json_pointer: '/items/0' } },
          { line: 5, text: '      "sku": "a/b",', locator: { json_pointer: '/items/0/sku' } },
          { line: 6, locator: { json_pointer: '/items/0/price' } },
          { line: 7, locator: { json_pointer: '/items/0' } },
          { line: 8, locator: { json_pointer: '/items' } },
          { line: 9, locator: { json_pointer: '' } },
        ],
      },
    ],
    [
      'a range of a text, each line with its number',
      { path: '/inputs/notes', start: 2, count: 1 },
      {
        slots: ['notes'],
        total_lines: 3,
        lines: [{ line: 2, text: 'second: refund', locator: { lines: { start: 2, end: 2 } } }],
      },
    ],
    [
      'a file of an archive, which has no place to cite',
      { path: '/inputs/files/a/x.txt' },
      { slots: ['pack'], lines: [{ line: 1, text: 'in the archive' }] },
    ],
    ['bytes that are no text: an error', { path: '/inputs/files/b.bin' }, { error: { code: 'not_text' } }],
    ['a path out of the workspace: an error', { path: '/inputs/../etc/passwd' }, { error: { code: 'no_such_file' } }],
    ['a host file: an error', { path: '/etc/passwd' }, { error: { code: 'no_such_file' } }],
  ])('reads %s', async (_, given, expected) => {
    const { told } = await run([['fs.read', given]]);
    expect(told[0]).toMatchObject(expected);
  });

  test.each<[string, JsonObject, object]>([
    [
      'a literal',
      { pattern: 'refund' },
      { hits: [{ path: '/inputs/notes', line: 2, slots: ['notes'], locator: { lines: { start: 2, end: 2 } } }] },
    ],
    ['a regex of the Rust dialect', { pattern: '(?i)^FIRST$', regex: true }, { hits: [{ line: 1 }], truncated: false }],
    ['below a path only', { pattern: 'refund', path: '/inputs/files' }, { hits: [] }],
    [
      'a pattern that does not compile: an error',
      { pattern: '(?=x)', regex: true },
      { error: { code: 'pattern_invalid' } },
    ],
  ])('finds %s', async (_, given, expected) => {
    const { told } = await run([['fs.search', given]]);
    expect(told[0]).toMatchObject(expected);
  });

  test('extracts a document below /work, where its lines are cited by page', async () => {
    const { told } = await run([
      ['fs.extract', { path: '/inputs/scan' }],
      ['fs.search', { pattern: 'Refund of', path: '/work' }],
    ]);
    expect(told[0]).toMatchObject({ path: '/work/scan.json', format: 'pdf' });
    expect(told[1]).toMatchObject({ hits: [{ path: '/work/scan.json', slots: ['scan'], locator: { page: 2 } }] });
  });

  test.each<[string, JsonObject, object]>([
    ['into /inputs', { path: '/inputs/scan', to: '/inputs/x' }, { error: { code: 'not_work' } }],
    ['out of /work', { path: '/inputs/scan', to: '/work/../x' }, { error: { code: 'not_work' } }],
    ['of what is no document', { path: '/inputs/files/b.bin' }, { error: { code: 'not_extractable' } }],
    ['of a scratch file', { path: '/work/x' }, { error: { code: 'no_such_file' } }],
  ])('does not extract %s', async (_, given, expected) => {
    const { told } = await run([['fs.extract', given]]);
    expect(told[0]).toMatchObject(expected);
  });

  test('runs Python over the files, which may write below /work', async () => {
    const source = [
      'import json',
      'def main(workspace):',
      '    order = json.loads(workspace.read_text("/inputs/order"))',
      '    print("seen", len(workspace.read_bytes("/inputs/files/b.bin")))',
      '    workspace.write_text("/work/sum.txt", str(order["items"][0]["price"] * 3))',
      '    return {"paths": workspace.list("/inputs/files")}',
    ].join('\n');
    const { told } = await run([
      ['code.run', { source }],
      ['fs.read', { path: '/work/sum.txt' }],
    ]);
    expect(told[0]).toEqual({
      result: { paths: ['/inputs/files/a/x.txt', '/inputs/files/b.bin'] },
      written: ['/work/sum.txt'],
      printed: 'seen 1\n',
    });
    expect(told[1]).toMatchObject({ lines: [{ text: '6' }] });
  });

  test.each<[string, string, string]>([
    ['raises', 'def main(workspace):\n    raise ValueError("x")', 'code_exception'],
    ['opens a host file', 'def main(workspace):\n    return open("/etc/passwd").read()', 'code_forbidden'],
    ['writes into /inputs', 'def main(workspace):\n    workspace._written["/inputs/order"] = "{}"', 'not_work'],
  ])('tells the model of code that %s, and goes on', async (_, source, code) => {
    const { told, result, tool_calls } = await run([['code.run', { source }]]);
    expect(told[0]).toMatchObject({ error: { code } });
    expect(tool_calls?.[0]).toMatchObject({ tool: 'code.run', returned_bytes: 0, error: { code } });
    expect(tool_calls?.[0]).not.toHaveProperty('output_sha256');
    expect(result.kind).toBe('verdict');
  });

  test('is gone after the call', async () => {
    await run([['fs.extract', { path: '/inputs/scan' }]]);
    const { told } = await run([['fs.list', { path: '/work' }]]);
    expect(told[0]).toEqual({ entries: [], truncated: false });
  });

  test('of bytes that are not the pinned ones fails the call before the model is asked', async () => {
    const pinned = await bench.pin('right', 'text');
    const evidence = { ...bench.store.evidence, read: async () => Buffer.from('wrong') };
    const { result, requests } = await bench.perform({
      replies: [judges('passed')],
      ports: { evidence },
      work: { tool_names: ['fs.read'], workspace: [mediaFile('/inputs/a', pinned)] },
    });
    expect(result).toMatchObject({ kind: 'failure', code: 'evidence_mismatch', retryable: false });
    expect(requests).toEqual([]);
  });

  test('of an archive that inflates too far fails the call by a named limit', async () => {
    const pinned = await bench.pin(makeZip([{ name: 'big', content: '0'.repeat(30_000_000) }]), 'zip');
    const { result } = await bench.perform({
      replies: [judges('passed')],
      work: { tool_names: ['fs.read'], workspace: [mediaFile('/inputs/a', pinned)] },
    });
    expect(result).toMatchObject({ kind: 'failure', code: 'extract_limit' });
  });
});

describe('a tool', () => {
  test.each<[string, string, Json, Partial<AgentAsked>, string]>([
    ['that was not offered', 'cards.list', {}, {}, 'tool_unknown'],
    ['whose arguments do not fit', 'fs.read', { path: 5 }, {}, 'arguments_invalid'],
    ['whose arguments are no object', 'fs.read', '[1]', {}, 'arguments_invalid'],
    ['without tool:invoke', 'fs.list', {}, { permissions: ['verifier:run'] }, 'tool_denied'],
    [
      'without the permission of what it reads',
      'cards.list',
      {},
      { permissions: ['tool:invoke'], work: { tool_names: ['cards.list'], workspace: [] } },
      'tool_denied',
    ],
    [
      'that is refused for an unknown Card',
      'cards.get',
      { kind: 'Agent', name: 'nobody' },
      { work: { tool_names: ['cards.get'], workspace: [] } },
      'card_refused',
    ],
  ])('%s is an error that the model is told', async (_, tool, given, asked, code) => {
    const { told, tool_calls, result } = await run([[tool, given]], asked);
    expect(told[0]).toMatchObject({ error: { code } });
    expect(tool_calls?.[0]).toMatchObject({ tool, error: { code } });
    expect(result.kind).toBe('verdict');
  });

  test('that lists Cards has no other tenant in it', async () => {
    const { told } = await run([['cards.list', {}]], {
      permissions: rolePermissions.workload,
      work: { tool_names: ['cards.list'], workspace: [] },
    });
    expect(told[0]).toEqual({ cards: [], next: null });
  });

  test('that is refused capacity stops the execution', async () => {
    const { result } = await run([['code.run', { source: 'def main(w): pass' }]], {
      ports: { sandbox: { run: async () => ({ kind: 'busy' }), close: async () => {} } },
    });
    expect(result).toEqual({ kind: 'busy' });
  });

  test('whose result is above 256 KiB answers an error', async () => {
    const { told } = await run([['fs.read', { path: '/inputs/long' }]], {
      work: { workspace: [valueFile('/inputs/long', 'x'.repeat(300_000))] },
    });
    expect(told[0]).toMatchObject({ error: { code: 'result_limit' } });
  });

  test('shows nothing more when the conversation is full, and the agent still answers', async () => {
    const big = valueFile('/inputs/long', 'x'.repeat(250_000));
    const read: [string, Json] = ['fs.read', { path: '/inputs/long' }];
    const { told, tool_calls } = await run([read, read, read, read, read], { work: { workspace: [big] } });
    expect(told.map((one) => 'error' in (one as JsonObject))).toEqual([false, false, false, false, true]);
    expect(tool_calls?.[4]).toMatchObject({ returned_bytes: 0, error: { code: 'result_limit' } });
    expect(tool_calls?.[4]).not.toHaveProperty('output_sha256');
  });

  test('is called 100 times at most', async () => {
    const many = Array.from({ length: 60 }, (): [string, Json] => ['fs.list', {}]);
    const { requests, tool_calls } = await bench.perform({
      replies: [asks(...many), asks(...many), judges('failed')],
      work: { tool_names: ['fs.list'], workspace: [valueFile('/inputs/a', 1)] },
    });
    const told = toldBy(requests.at(-1));
    expect(told.filter((one) => 'error' in (one as JsonObject))).toHaveLength(20);
    expect(tool_calls).toHaveLength(100);
  });

  test.each([
    [undefined, 8],
    [2, 2],
    [50, 8],
  ] as const)('runs beside %s others as the cap says: %s', async (cap, most) => {
    let now = 0;
    let seen = 0;
    const run = async () => {
      now += 1;
      seen = Math.max(seen, now);
      await bench.store.clock.sleep(10);
      now -= 1;
      return { kind: 'failure', code: 'code_exception', retryable: false } as const;
    };
    const calls = Array.from({ length: 12 }, (): [string, Json] => ['code.run', { source: 'x' }]);
    await bench.perform({
      replies: [asks(...calls), judges('failed')],
      ports: { sandbox: { run, close: async () => {} } },
      work: {
        tool_names: ['code.run'],
        run_config: { max_iterations: 2, ...(cap !== undefined && { tool_concurrency_cap: cap }) },
      },
    });
    expect(seen).toBe(most);
  });

  test('that never ends is left at run_config.timeout_ms', async () => {
    let left = false;
    const run = (_request: object, signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => {
          left = true;
          reject(signal.reason);
        });
      });
    const { result } = await bench.perform({
      replies: [asks(['code.run', { source: 'x' }]), judges('passed')],
      ports: { sandbox: { run, close: async () => {} } },
      work: { tool_names: ['code.run'], run_config: { timeout_ms: 200 } },
    });
    expect(result).toMatchObject({ kind: 'failure', code: 'agent_timeout', retryable: true });
    expect(left).toBe(true);
  });

  test('takes turns of the same budget as repairs', async () => {
    const { result, requests } = await bench.perform({
      replies: [asks(['fs.list', {}]), { text: 'prose' }, asks(['fs.list', {}]), judges('passed')],
      work: { tool_names: ['fs.list'], workspace: [valueFile('/inputs/a', 1)], run_config: { max_iterations: 3 } },
    });
    expect(result).toMatchObject({ kind: 'failure', code: 'malformed_verdict' });
    expect(requests).toHaveLength(3);
  });
});
