import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RecordReport } from '#contract/record.ts';
import { type JudgedExecution, judgeLetter } from '#test/support/judged-letter.ts';
import { touchstone } from '#test/support/run-command.ts';
import { type Change, tamper } from '#test/support/tampered-record.ts';
import { inFolder } from '#test/support/temporary-folder.ts';

const everything =
  '--keys keys.json --result result.json --evidence evidence --cards cards --checkpoint log.json'.split(' ');

describe('touchstone record verify', () => {
  let judged: JudgedExecution;
  beforeAll(async () => {
    judged = await judgeLetter();
  });

  function filesOf(changes: readonly Change[] = []): Record<string, string | Uint8Array> {
    const input = tamper(judged, [...changes, { in: 'inclusion', op: 'set' }]);
    const files: [string, string | Uint8Array][] = [
      ['record.json', input.record],
      ['keys.json', JSON.stringify(input.keys)],
      ['result.json', input.result ?? ''],
      ['log.json', input.checkpoint ?? ''],
      ...(input.evidence ?? []).map(({ name, bytes }): [string, Uint8Array] => [`evidence/more/${name}`, bytes]),
      ...(input.cards ?? []).map((text, position): [string, string] => [`cards/${position}.json`, text]),
    ];
    return Object.fromEntries(files);
  }
  const verify = (words: readonly string[], cwd: string) => touchstone(['record', 'verify', ...words], { cwd });

  test('everything held, code run again in the sandbox: 0, valid', { timeout: 60_000 }, async () => {
    await inFolder(filesOf(), async (folder) => {
      const ended = await verify(['record.json', ...everything], folder);
      expect(ended).toMatchObject({ code: 0, err: '' });
      expect(ended.out).toMatch(/^valid\n(?: {2}\w+ +valid\n){6}$/);
    });
  });

  test('the record and the keys alone: 0, and what was not checked is said', async () => {
    await inFolder(filesOf(), async (folder) => {
      const ended = await verify(['record.json', '--keys', 'keys.json'], folder);
      expect(ended.code).toBe(0);
      expect(ended.out).toMatch(/ {2}replay +not checked\n/);
    });
  });

  test('every defect is printed: 1', async () => {
    const changes: Change[] = [
      { in: 'result_held', op: 'set', path: '/outcome/verdict', value: 'failed' },
      { in: 'statement', op: 'set', path: '/predicate/verdict', value: 'inconclusive' },
      { in: 'delegation', op: 'set', path: '/tenant_scope', value: 'other' },
    ];
    await inFolder(filesOf(changes), async (folder) => {
      const ended = await verify(['record.json', ...everything], folder);
      expect(ended.code).toBe(1);
      for (const defect of ['delegation_scope', 'result_digest', 'verdict '])
        expect(ended.out).toMatch(new RegExp(`^invalid +${defect}`, 'm'));
      const { out } = await verify(['record.json', ...everything, '--json'], folder);
      const report = JSON.parse(out) as RecordReport;
      expect(report.result).toBe('invalid');
      expect(report.defects.length).toBeGreaterThanOrEqual(3);
    });
  });

  test('no keys: 2', async () => {
    await inFolder(filesOf(), async (folder) => {
      expect(await verify(['record.json'], folder)).toMatchObject({
        code: 2,
        out: expect.stringContaining('keys_not_given'),
      });
    });
  });

  test('no text at all is an invalid record: 1', async () => {
    await inFolder({ 'record.json': Uint8Array.of(0xff, 0, 1) }, async (folder) => {
      expect(await verify(['record.json'], folder)).toMatchObject({
        code: 1,
        out: expect.stringContaining('json_syntax'),
      });
    });
  });

  test.each([
    ['a file that is not there', ['other.json']],
    ['a folder without a record', ['nothing']],
    ['a file that is called a tar file', ['no.tar']],
    ['keys that are no JSON', ['record.json', '--keys', 'bad.json']],
    ['evidence that is no folder', ['record.json', '--evidence', 'record.json']],
    ['a file of a gigabyte', ['large.json']],
    ['an option that does not exist', ['record.json', '--key', 'x']],
  ])('%s: 3', async (_name, words) => {
    await inFolder(
      { 'record.json': '{}', 'bad.json': '{', 'no.tar': 'x'.repeat(2_000), 'nothing/x': '' },
      async (folder) => {
        await writeFile(join(folder, 'large.json'), '');
        await truncate(join(folder, 'large.json'), 2 ** 30);
        expect(await verify(words, folder)).toMatchObject({ code: 3, out: '' });
      },
    );
  });
});
