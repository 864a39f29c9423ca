import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toMediaFormat } from '#contract/formats.ts';
import { extractSchema } from '#engine/declare/extract-schema.ts';
import { compileSchema, validate } from '#engine/values/schema.ts';
import { useExtract } from '#test/support/extract-files.ts';

const folder = 'test/fixtures/documents';
const files = readdirSync(folder).filter((name) => /\.(pdf|docx|pptx|xlsx)$/.test(name));

/** Documents of real programs, each with its whole expected output (test/fixtures/documents/README.md). */
describe('documents of real programs', () => {
  const extract = useExtract();

  test('are there, of every format', () => {
    expect(files.length).toBeGreaterThanOrEqual(11);
    expect([...new Set(files.map((name) => extname(name)))].sort()).toEqual(['.docx', '.pdf', '.pptx', '.xlsx']);
  });

  test.each(files)('%s', async (name) => {
    const format = toMediaFormat(extname(name).slice(1)) ?? 'text';
    const reply = await extract(format, readFileSync(join(folder, name)));
    const expected = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
    expect(reply).toMatchObject({ kind: 'output', warnings: expected.warnings });
    expect(reply.kind === 'output' && reply.output).toEqual(expected.output);
    const schema = compileSchema(extractSchema([format]));
    expect(schema.ok && validate(schema.schema, expected.output)).toEqual([]);
  });

  test('give the same bytes each time', async () => {
    for (const name of files.filter((file) => file.endsWith('.pdf'))) {
      const bytes = readFileSync(join(folder, name));
      const [first, second] = [await extract('pdf', bytes), await extract('pdf', bytes)];
      expect(JSON.stringify(first)).toBe(JSON.stringify(second));
    }
  });
});
