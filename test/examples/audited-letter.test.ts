import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { RecordReport } from '#contract/record.ts';
import { touchstone } from '#test/support/run-command.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cwd = `${root}docs/data/audited-letter`;

test('the commands of docs/records.md print what it shows', { timeout: 60_000 }, async () => {
  const page = await readFile(`${root}docs/records.md`, 'utf8');
  const shown = [...page.matchAll(/^\$ touchstone ((?:.*\\\n)*.+)\n((?:(?!```).*\n)+)/gm)];
  expect(shown).toHaveLength(2);
  for (const [, words = '', output] of shown) {
    const ended = await touchstone(words.replaceAll('\\\n', ' ').split(/\s+/), { cwd });
    expect(ended, 'a new interpreter needs a new record: scripts/audited-letter.ts').toMatchObject({
      code: 0,
      out: output,
    });
  }
});

test('the record is what it says under any later engine', async () => {
  const words = 'record verify record.json --keys keys.json --result result.json --cards cards --json';
  const report = JSON.parse((await touchstone(words.split(' '), { cwd })).out) as RecordReport;
  expect(report.defects.filter(({ severity }) => severity === 'invalid')).toEqual([]);
});
