import { readFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkPath } from '#cli/check/check-path.ts';
import { PathError } from '#cli/load/find-card-files.ts';
import type { Issue } from '#cli/load/issue.ts';
import { inFolder } from '#test/support/temporary-folder.ts';

interface BadCard {
  readonly title: string;
  readonly files: Readonly<Record<string, string>>;
  readonly expect: readonly string[];
}

const table = parse(readFileSync(new URL('bad-cards.yaml', import.meta.url), 'utf8')) as readonly BadCard[];

function say({ file, line, column, severity, rule, message }: Issue): string {
  return `${file}:${line}:${column} ${severity} ${rule} ${message}`;
}

const card = (spec: string) => `apiVersion: wyrd/v1\nkind: Service\nmetadata: { name: some-desk }\nspec: ${spec}\n`;
const issuesOf = (files: Readonly<Record<string, string | Uint8Array>>, path = '.') =>
  inFolder(files, async (folder) => (await checkPath(join(folder, path), folder)).issues.map(say));

describe('what check says of bad Cards', () => {
  test.each(table)('$title', async ({ files, expect: expected }) => {
    const said = await issuesOf(files);
    const pattern = expected.map((line) => {
      const [place, severity, rule, ...message] = line.split(' ');
      return expect.stringMatching(
        new RegExp(`^${RegExp.escape(`${place} ${severity} ${rule}`)} .*${RegExp.escape(message.join(' '))}`),
      );
    });
    expect(said).toEqual(pattern);
  });
});

describe('hostile files', () => {
  const bomb = `a: &a [${'x, '.repeat(60)}x]\n${'bcdefg'
    .split('')
    .map((name, at) => `${name}: &${name} [${`*${'abcdef'[at]}, `.repeat(60)}*a]\n`)
    .join('')}`;
  test.each<[string, string | Uint8Array, RegExp]>([
    ['ten megabytes', `# ${'x'.repeat(10_000_000)}`, /the file is too large/],
    ['binary', new Uint8Array([0xff, 0xfe, 0x00, 0x41]), /not UTF-8 text/],
    ['a zero byte', `${card('{}')}\0`, /not UTF-8 text/],
    ['nothing', '', /holds no Card/],
    ['comments only', '# apiVersion\n', /holds no Card/],
    ['deep flow', card('['.repeat(50_000)), /nested too deep/],
    [
      'deep blocks',
      card(`\n${Array.from({ length: 1_000 }, (_, at) => `${' '.repeat(at + 2)}a:`).join('\n')}`),
      /nested/,
    ],
    ['deep, but no deeper than the parser bears', card('['.repeat(200) + ']'.repeat(200)), /nested deeper than 128/],
    ['an alias bomb', `${card('{}')}x:\n${bomb.replaceAll(/^/gm, '  ')}`, /once aliases are unfolded/],
    ['an alias of itself', card('&a { a: [*a] }'), /nested deeper than 128/],
    ['a list', '- apiVersion: wyrd/v1\n', /a Card is a map/],
  ])('%s', async (_title, content, message) => {
    const started = performance.now();
    const said = await issuesOf({ 's.yaml': content }, 's.yaml');
    expect(said.join('\n')).toMatch(message);
    expect(said.length).toBeLessThan(30);
    expect(Math.max(...said.map((line) => line.length))).toBeLessThan(500);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test('aliases that unfold to little are good YAML', async () => {
    expect(await issuesOf({ 's.yaml': card('{ verified_by: &none [], components: *none }') })).toEqual([]);
  });

  test('a symbolic link out of the folder is not read, in a folder and by reference', async () => {
    await inFolder(
      { 'outside/secret.yaml': 'secret: [', 'inside/s.yaml': card('{ verified_by: [{ verifier: ./link.yaml }] }') },
      async (folder) => {
        await symlink(join(folder, 'outside/secret.yaml'), join(folder, 'inside/link.yaml'));
        await symlink(join(folder, 'outside'), join(folder, 'inside/more'));
        const { issues } = await checkPath(join(folder, 'inside'), join(folder, 'inside'));
        expect(issues.map(say)).toEqual([
          expect.stringMatching(/^s\.yaml:4:25 error reference \.\/link\.yaml: lies outside/),
        ]);
      },
    );
  });

  test('more Cards than one declaration takes are said once', async () => {
    const many = Array.from({ length: 510 }, (_, at) => card('{}').replace('some-desk', `desk-${at}`)).join('---\n');
    expect(await issuesOf({ 's.yaml': many })).toEqual([
      expect.stringMatching(/^s\.yaml:2501:1 error limit more than 500 Cards/),
    ]);
  });

  test('a path that is not there', async () => {
    await expect(issuesOf({}, 'gone.yaml')).rejects.toBeInstanceOf(PathError);
  });
});

describe('what is loaded', () => {
  test('other YAML and JSON of a folder, hidden folders and packages are left alone', async () => {
    const files = {
      's.yaml': card('{}'),
      'expected.yaml': 'a: [',
      'evidence.json': '{',
      '.git/c.yaml': 'apiVersion: [',
      'node_modules/p/c.yaml': 'apiVersion: [',
    };
    expect(await issuesOf(files)).toEqual([]);
  });

  test('children stand before those that name them; paths become siblings; code is left as it is', async () => {
    const source = 'def check():\n    return "./judge.yaml"\n';
    const files = {
      'desk/service.yaml': card('{ verified_by: [{ verifier: ./../checks/v.yaml }] }'),
      'checks/v.yaml': `apiVersion: wyrd/v1\nkind: Verifier\nmetadata: { name: some-check, version: 1.0.0 }\nspec:\n  requirements:\n    - id: one\n      statement: s\n      check: { kind: code, entrypoint: check, source: { inline: ${JSON.stringify(source)} } }\n`,
    };
    await inFolder(files, async (folder) => {
      const { declarations, issues } = await checkPath(join(folder, 'desk/service.yaml'), folder);
      expect(issues).toEqual([]);
      const [verifier, service] = declarations[0]!.cards.map((loaded) => loaded.card);
      expect(verifier).toMatchObject({
        kind: 'Verifier',
        spec: { requirements: [{ check: { source: { inline: source } } }] },
      });
      expect(service).toMatchObject({
        spec: { verified_by: [{ verifier: { sibling: { kind: 'Verifier', name: 'some-check', version: '1.0.0' } } }] },
      });
    });
  });

  test('one declaration a root; a Card that two roots name is in both', async () => {
    const verifier = 'apiVersion: wyrd/v1\nkind: Verifier\nmetadata: { name: some-check, version: 1.0.0 }\nspec: {}\n';
    const service = (name: string) => card('{ verified_by: [{ verifier: ./v.yaml }] }').replace('some-desk', name);
    await inFolder(
      { 'v.yaml': verifier, 'one.yaml': service('desk-one'), 'two.yaml': service('desk-two') },
      async (folder) => {
        const { declarations } = await checkPath(folder, folder);
        expect(declarations.map(({ cards }) => cards.map((loaded) => loaded.card.kind))).toEqual([
          ['Verifier', 'Service'],
          ['Verifier', 'Service'],
        ]);
      },
    );
  });
});
