import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toMediaFormat } from '#contract/formats.ts';
import { useExtract } from '#test/support/extract-files.ts';

const folder = 'test/fixtures/documents';
const files = ['letter-libreoffice.docx', 'slides-libreoffice.pptx', 'ledger-libreoffice.xlsx', 'report-chromium.pdf'];
const cuts = 24;

/** A document that lost its end, or one of its bytes, is never read as another document. */
describe('damaged documents', () => {
  const extract = useExtract();

  test.each(files)('%s cut off at any place is unreadable', async (name) => {
    const bytes = readFileSync(join(folder, name));
    const format = toMediaFormat(extname(name).slice(1)) ?? 'text';
    const codes = new Set<string>();
    for (let index = 0; index < cuts; index += 1) {
      const reply = await extract(format, bytes.subarray(0, Math.floor((bytes.byteLength * index) / cuts)));
      codes.add(reply.kind === 'failure' ? reply.code : reply.kind);
    }
    expect([...codes]).toEqual(['extract_unreadable']);
  });

  test.each(files.slice(0, 3))('%s with a changed byte gives the same output or none', async (name) => {
    const bytes = readFileSync(join(folder, name));
    const format = toMediaFormat(extname(name).slice(1)) ?? 'text';
    const { output } = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
    for (let index = 0; index < cuts * 4; index += 1) {
      const changed = Buffer.from(bytes);
      const at = Math.floor((bytes.byteLength * index) / (cuts * 4));
      changed[at] = (changed[at] ?? 0) ^ 0x10;
      const reply = await extract(format, changed);
      if (reply.kind === 'output') expect(reply.output).toEqual(output);
      else expect(reply).toMatchObject({ kind: 'failure', retryable: false });
    }
  });
});
