import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeHost, type TestHost } from '#test/support/embedded-host.ts';
import { readXml } from '#test/support/read-xml.ts';
import { touchstone } from '#test/support/run-command.ts';
import { inFolder } from '#test/support/temporary-folder.ts';

const cards = {
  'desk.yaml': `apiVersion: wyrd/v1
kind: Service
metadata: { name: small-desk, version: 1.0.0 }
spec:
  verified_by: [{ verifier: ./calm.yaml }]
  components:
    - { alias: writer, ref: ./writer.yaml, verified_by: [{ verifier: ./calm.yaml }, { verifier: ./letter.yaml }] }
`,
  'writer.yaml': `apiVersion: wyrd/v1
kind: Agent
metadata: { name: desk-writer, version: 1.0.0 }
spec:
  execution_route: { kind: native }
  prompt: { provider: openai, model: m, messages: [{ role: user, content: hello }] }
`,
  'calm.yaml': `apiVersion: wyrd/v1
kind: Verifier
metadata: { name: calm-note, version: 1.0.0 }
spec:
  inputs: { note: { type: json } }
  requirements:
    - { id: calm, statement: No shouting <&>, check: { kind: assert, path: inputs.note, operator: not_contains, expected: "!" } }
`,
  'letter.yaml': `apiVersion: wyrd/v1
kind: Verifier
metadata: { name: short-letter, version: 1.0.0 }
spec:
  inputs: { letter: { type: media, formats: [markdown, csv], max_bytes: 1000 } }
  steps: [{ id: read, action: { kind: extract, from: inputs.letter } }]
  requirements:
    - { id: short, statement: s, check: { kind: assert, path: steps.read.output.text, operator: { kind: has_max_length, max: 20 } } }
`,
  'short.md': '# Hello\n',
  'long.md': `# Hello ${'x'.repeat(20)}\n`,
  'note.json': '"calm"',
  'double.json': '{"a": 1, "a": 2}',
  'note.txt': 'loud!',
  'picture.png': 'no picture',
};

describe('commands against a started host', () => {
  let host: TestHost;
  beforeAll(async () => {
    host = await makeHost();
    await inFolder(cards, async (folder) => {
      const applied = await run(['apply', 'desk.yaml'], folder);
      expect(applied).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^(?:declared +\w+\/[\w-]+@1\.0\.0#[\da-f-]{36}\n){4}$/),
      });
    });
  });
  afterAll(() => host[Symbol.asyncDispose]());
  const run = (words: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) =>
    touchstone(words, { cwd, env: { TOUCHSTONE_URL: host.url, ...env } });

  test('apply twice changes nothing; --json prints data only', async () => {
    await inFolder(cards, async (folder) => {
      const again = await run(['apply', '.', '--json'], folder);
      expect(again).toMatchObject({ code: 0, err: '' });
      const { declarations } = JSON.parse(again.out);
      expect(declarations).toHaveLength(1);
      expect(declarations[0].outcomes.map(({ outcome }: { outcome: string }) => outcome)).toEqual(
        Array(4).fill('deduplicated'),
      );
    });
  });

  test('apply of a changed Card under its old version is refused, of a bad one before it is sent', async () => {
    const changed = { ...cards, 'calm.yaml': cards['calm.yaml'].replace('"!"', '"?"') };
    const drift = await inFolder(changed, (folder) => run(['apply', 'desk.yaml'], folder));
    expect(drift).toMatchObject({ code: 3, out: '', err: expect.stringContaining('WYRD_REGISTRY_409_SPEC_DRIFT') });
    const bad = await inFolder({ 'bad.yaml': cards['calm.yaml'].replace('inputs.note', 'inputs.nope') }, (folder) =>
      run(['apply', 'bad.yaml'], folder),
    );
    expect(bad).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringMatching(/^bad\.yaml:7:47 error .*unknown_reference[\s\S]*nothing was declared/),
    });
  });

  test('apply brings the files of Artifacts, which may then judge', { timeout: 60_000 }, async () => {
    const artifact = (name: string, file: string) =>
      `apiVersion: wyrd/v1\nkind: Artifact\nmetadata: { name: ${name}, version: 1.0.0 }\nspec: {}\nartifacts: [{ relative_path: ${file} }]\n`;
    const check = (id: string, card: string) =>
      `    - id: ${id}\n      statement: s\n      check: { kind: code, entrypoint: check, inputs: { note: inputs.note }, source: { artifact: { card: ./${card} } } }\n`;
    const python = (word: string) =>
      `def check(note):\n    return {"outcome": "passed", "reason": "${word}", "citations": [{"slot": "note", "locator": {"json_pointer": ""}}]}\n`;
    const files = {
      'one.yaml': artifact('tool-one', 'tools/one.py'),
      'two.yaml': artifact('tool-two', 'two.py'),
      'tools/one.py': python('one'),
      'two.py': python('two'),
      'v.yaml': `apiVersion: wyrd/v1\nkind: Verifier\nmetadata: { name: two-tools, version: 1.0.0 }\nspec:\n  inputs: { note: { type: json } }\n  requirements:\n${check('first', 'one.yaml')}${check('second', 'two.yaml')}`,
      's.yaml':
        'apiVersion: wyrd/v1\nkind: Service\nmetadata: { name: tool-desk, version: 1.0.0 }\nspec: { verified_by: [{ verifier: ./v.yaml }] }\n',
    };
    await inFolder(files, async (folder) => {
      const applied = await run(['apply', 's.yaml', '--json'], folder);
      expect(applied).toMatchObject({ code: 0, err: '' });
      const outcomes = JSON.parse(applied.out).declarations.flatMap((answer: { outcomes: unknown }) => answer.outcomes);
      expect(
        outcomes.map(({ card_ref, status }: { card_ref: { name: string }; status: string }) => [card_ref.name, status]),
      ).toEqual([
        ['tool-one', 'active'],
        ['tool-two', 'active'],
        ['two-tools', 'active'],
        ['tool-desk', 'active'],
      ]);
      const again = await run(['apply', '.'], folder);
      expect(again).toMatchObject({ code: 0, out: expect.stringMatching(/^(?:deduplicated .*\n){4}$/) });
      const judged = await run(['verify', 'two-tools', '-s', 'note=1'], folder);
      expect(judged).toMatchObject({ code: 0, out: expect.stringMatching(/ one\n[\s\S]* two\n/) });
    });
    const { 'two.py': _gone, ...incomplete } = files;
    await inFolder(incomplete, async (folder) => {
      const refused = await run(['apply', 's.yaml'], folder);
      expect(refused).toMatchObject({
        code: 3,
        out: '',
        err: expect.stringMatching(/^two\.yaml:5:13 error two\.py: there is no such file artifact/),
      });
    });
  });

  const writer = ['--subject', 'writer'];
  test.each<[string, number, readonly string[], RegExp]>([
    [
      'passes',
      0,
      ['calm-note', '-s', 'note=calm', ...writer],
      /✓ passed {2}calm-note@1\.0\.0 on Agent desk-writer@1\.0\.0/,
    ],
    [
      'fails',
      1,
      ['calm-note', '-s', 'note=@note.txt', '--subject', 'small-desk'],
      /✗ failed {2}calm[\s\S]*actual "loud!"/,
    ],
    [
      'JSON that is no text is open',
      2,
      ['calm-note', '-s', 'note={"a": 1}', ...writer],
      /\? inconclusive {2}calm[\s\S]*operator_mismatch/,
    ],
    ['missing evidence is open', 2, ['calm-note', ...writer], /missing_required_input/],
    ['a json slot takes a JSON file', 0, ['calm-note@1.0.0', '-s', 'note=@note.json', ...writer], /✓ passed/],
    ['a text that begins with @', 0, ['calm-note', '-s', 'note=@@here', ...writer], /✓ passed/],
    ['a media slot takes a file', 0, ['short-letter', '-s', 'letter=@short.md'], /✓ passed/],
    ['and judges it', 1, ['short-letter', '-s', 'letter=@long.md'], /has_max_length/],
  ])('verify: %s', async (_title, code, words, out) => {
    const ended = await inFolder(cards, (folder) => run(['verify', ...words], folder));
    expect(ended).toMatchObject({ code, out: expect.stringMatching(out), err: '' });
    expect(ended.out).not.toContain('\u001b');
  });

  test.each<[string, number, readonly string[], RegExp]>([
    [
      'two subjects',
      3,
      ['calm-note', '-s', 'note=1'],
      /more than one subject.*Service\/small-desk@1\.0\.0.*Agent\/desk-writer/,
    ],
    ['another subject', 3, ['short-letter', '--subject', 'small-desk'], /does not judge small-desk/],
    ['an unknown Verifier', 3, ['no-such-note'], /no active Service or Agent/],
    ['an unknown slot', 3, ['calm-note', '-s', 'nope=1', ...writer], /WYRD_VERIFICATION_400_INPUT_INVALID/],
    ['a slot twice', 3, ['calm-note', '-s', 'note=1', '-s', 'note=2', ...writer], /given twice/],
    ['no slot', 3, ['calm-note', '-s', 'note', ...writer], /write name=value/],
    ['a value where a file belongs', 3, ['short-letter', '-s', 'letter=hello'], /letter=@path/],
    ['a file that is not there', 3, ['calm-note', '-s', 'note=@gone.json', ...writer], /there is no such file/],
    ['a folder', 3, ['short-letter', '-s', 'letter=@.'], /names none of markdown, csv/],
    ['a format that the slot does not take', 3, ['short-letter', '-s', 'letter=@picture.png'], /INPUT_INVALID/],
    ['a repeated key', 3, ['calm-note', '-s', 'note=@double.json', ...writer], /not usable JSON \(.*quote it/],
    [
      'a number that would be rounded',
      3,
      ['calm-note', '-s', 'note=12345678901234567890', ...writer],
      /not usable JSON/,
    ],
    ['an unknown option', 3, ['calm-note', '--nope'], /unknown option/],
    ['a URL that is none', 3, ['calm-note', '--url', 'http://touchstone.example'], /https is needed/],
    [
      'a service that is not there',
      4,
      ['calm-note', '--url', 'http://127.0.0.1:65001'],
      /no connection[\s\S]*touchstone serve/,
    ],
  ])('verify is refused: %s', async (_title, code, words, err) => {
    const ended = await inFolder(cards, (folder) => run(['verify', ...words], folder));
    expect(ended).toMatchObject({ code, out: '', err: expect.stringMatching(err) });
  });

  test('verify --json --junit: one document on standard output, one valid file', async () => {
    await inFolder(cards, async (folder) => {
      const ended = await run(
        ['verify', 'calm-note', '-s', 'note=no!', ...writer, '--json', '--progress', '--junit', 'out.xml'],
        folder,
      );
      expect(ended).toMatchObject({ code: 1, err: 'judging calm-note\n' });
      expect(JSON.parse(ended.out)).toMatchObject({ outcome: { verdict: 'failed' } });
      const root = readXml(await readFile(join(folder, 'out.xml'), 'utf8'));
      expect(root.attributes).toMatchObject({ tests: '1', failures: '1', errors: '0' });
      const testcase = root.children[0]!.children.at(-1)!;
      expect(testcase).toMatchObject({
        attributes: { name: 'calm: No shouting <&>' },
        children: [{ name: 'failure' }],
      });
    });
  });

  test('submit prints the execution, or waits and ends like verify', async () => {
    await inFolder(cards, async (folder) => {
      const submitted = await run(['submit', 'calm-note', '-s', 'note=no!', ...writer], folder);
      expect(submitted).toMatchObject({ code: 0, out: expect.stringMatching(/^[0-9a-f-]{36}\n$/), err: '' });
      const failed = await run(['submit', 'calm-note', '-s', 'note=no!', ...writer, '--wait', '20'], folder);
      expect(failed).toMatchObject({ code: 1, out: expect.stringMatching(/^✗ failed/), err: '' });
      const file = await run(['submit', 'short-letter', '-s', 'letter=@short.md', '--wait', '20', '--json'], folder);
      expect(file.code).toBe(0);
      expect(JSON.parse(file.out)).toMatchObject({ status: 'completed', attempts: 1 });
      expect((await run(['submit', 'calm-note', '--wait', 'soon', ...writer], folder)).code).toBe(3);
    });
  });

  test.each([
    ['an unknown command', ['nosuch', '--json'], /unknown command 'nosuch'/],
    ['a missing argument', ['--json', 'verify'], /missing required argument/],
    ['an option without its value', ['verify', 'x', '--slot', '--json'], /argument missing/],
    ['a value that is not allowed', ['executions', '--limit', '0', '--json'], /1 to 200/],
    ['no command', ['--json'], /a command is missing/],
    ['a path that is not there', ['check', 'nosuch', '--json'], /there is no such file/],
  ])('wrong usage with --json is data too: %s', async (_, words, message) => {
    const ended = await touchstone(words);
    expect(ended.code).toBe(3);
    expect(JSON.parse(ended.out)).toEqual({
      error: { code: '', message: expect.stringMatching(message), status: 400 },
    });
  });

  test('a failure with --json is data too', async () => {
    const ended = await touchstone(['executions', '--json', '--url', 'http://127.0.0.1:65001']);
    expect(ended.code).toBe(4);
    expect(JSON.parse(ended.out)).toEqual({
      error: { code: 'TOUCHSTONE_CLIENT_NO_CONNECTION', message: 'no connection to http://127.0.0.1:65001', status: 0 },
    });
  });

  test('executions lists and shows what was judged', async () => {
    const listed = await run(['executions', '--verdict', 'failed', '--limit', '2', '--json'], '.');
    const { items } = JSON.parse(listed.out);
    expect(items.map(({ verdict }: { verdict: string }) => verdict)).toEqual(['failed', 'failed']);
    const shown = await run(['executions', items[0].execution_id], '.');
    expect(shown).toMatchObject({ code: 0, out: expect.stringMatching(/^✗ failed/) });
    const lines = await run(['executions', '--status', 'completed'], '.');
    expect(lines.out.split('\n')[0]).toMatch(/^[0-9a-f-]{36} {2}\w+ +\d{4}-.* on (?:Agent|Service) /);
    expect(await run(['executions', '01890a5d-ac96-774b-bcce-b302099a8057'], '.')).toMatchObject({
      code: 3,
      err: expect.stringContaining('EXECUTION_NOT_FOUND'),
    });
    expect(await run(['executions', '--limit', '0'], '.')).toMatchObject({
      code: 3,
      err: expect.stringContaining('from 1 to 200'),
    });
  });
});

describe('check', () => {
  test('prints each mistake with its place, and as data', async () => {
    await inFolder({ 'v.yaml': cards['calm.yaml'].replace('json', 'nosuch') }, async (folder) => {
      const ended = await touchstone(['check', 'v.yaml'], { cwd: folder });
      expect(ended).toMatchObject({
        code: 3,
        out: expect.stringMatching(/^v\.yaml:5:21 error .* shape WYRD_REGISTRY_400_INVALID_CARD_SPEC\n$/),
        err: '1 Card, 1 error, 0 warnings\n',
      });
      const data = await touchstone(['check', 'v.yaml', '--json'], { cwd: folder });
      expect(JSON.parse(data.out)).toMatchObject({
        cards: 1,
        issues: [{ file: 'v.yaml', line: 5, column: 21, severity: 'error', rule: 'shape' }],
      });
    });
  });

  test('a good folder ends with 0, an empty one and a missing one do not; names cannot act on the terminal', async () => {
    await inFolder({ ...cards, 'empty/x.txt': '', 'odd/\u001b[31m.yaml': 'apiVersion: [' }, async (folder) => {
      expect(await touchstone(['check', 'desk.yaml'], { cwd: folder })).toMatchObject({ code: 0, out: '' });
      expect(await touchstone(['check', 'empty'], { cwd: folder })).toMatchObject({
        code: 3,
        err: expect.stringContaining('no Card was found'),
      });
      expect(await touchstone(['check', 'gone'], { cwd: folder })).toMatchObject({
        code: 3,
        err: expect.stringContaining('no such file'),
      });
      const odd = await touchstone(['check', 'odd'], { cwd: folder });
      expect(odd.out).toContain('odd/\\x1b[31m.yaml:1:');
      expect(odd.out).not.toContain('\u001b');
    });
  });
});

describe('keys and serve', () => {
  test('with the first key, only keys open the host; a revoked one does not', async () => {
    await inFolder({}, async (folder) => {
      const main = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
      const child = spawn(process.execPath, [main, 'serve', '--port', '0', '--data', 'data'], {
        cwd: folder,
        env: { PATH: process.env.PATH ?? '' },
      });
      const ended = new Promise((resolve) => child.on('close', resolve));
      try {
        const first = await new Promise<string>((resolve) =>
          child.stdout.once('data', (chunk: Buffer) => resolve(String(chunk))),
        );
        const TOUCHSTONE_URL = /http:\/\/127\.0\.0\.1:\d+/.exec(first)?.[0] ?? '';
        const executions = (key?: string) =>
          touchstone(['executions'], {
            env: { TOUCHSTONE_URL, ...(key !== undefined && { TOUCHSTONE_API_KEY: key }) },
          });
        const keys = (...words: string[]) => touchstone(['keys', ...words, '--data', 'data'], { cwd: folder });
        expect(await executions()).toMatchObject({ code: 0, out: '' });
        const made = await keys('create', '--role', 'viewer', '--name', 'for tests');
        expect(made).toMatchObject({
          code: 0,
          out: expect.stringMatching(/^wyrd_sk_[0-9a-f]{32}_[0-9a-f]{8}_[0-9a-f]{32,}\n$/),
        });
        const key = made.out.trim();
        expect(await executions()).toMatchObject({ code: 3, err: expect.stringContaining('WYRD_AUTH_401') });
        expect(await executions(key)).toMatchObject({ code: 0 });
        const { keys: listed } = JSON.parse((await keys('list', '--json')).out);
        expect(listed).toMatchObject([{ role: 'viewer', name: 'for tests', revoked_at: null }]);
        expect(JSON.stringify(listed)).not.toContain(key.slice(-20));
        expect(await keys('revoke', listed[0].key_id)).toMatchObject({ code: 0 });
        expect((await keys('list')).out).toMatch(/viewer +revoked/);
        expect(await keys('revoke', listed[0].key_id)).toMatchObject({ code: 3 });
        expect(await executions(key)).toMatchObject({ code: 3, err: expect.stringContaining('WYRD_AUTH_401') });
        expect(await keys('create', '--role', 'king')).toMatchObject({
          code: 3,
          err: expect.stringContaining('viewer'),
        });
      } finally {
        child.kill('SIGTERM');
      }
      expect(await ended).toBe(0);
      expect(await readdir(join(folder, 'data'))).toContain('touchstone.db');
    });
  });

  test('a setting that does not exist is named', async () => {
    await inFolder({ 'settings.yaml': 'prot: 8080\n' }, async (folder) => {
      const ended = await touchstone(['serve', '--config', 'settings.yaml'], { cwd: folder });
      expect(ended).toMatchObject({ code: 3, err: expect.stringContaining('prot: unknown setting') });
    });
  });

  test('help, version, nothing and nonsense', async () => {
    expect(await touchstone(['--version'])).toMatchObject({ code: 0, out: '0.1.0\n' });
    expect(await touchstone(['verify', '--help'])).toMatchObject({ code: 0, out: expect.stringContaining('--junit') });
    expect((await touchstone([])).code).toBe(3);
    expect(await touchstone(['vrify'])).toMatchObject({ code: 3, out: '', err: expect.stringContaining('verify') });
  });
});
