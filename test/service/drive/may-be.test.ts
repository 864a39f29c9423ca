import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createExtract } from '#adapters/extract/extract.ts';
import type { MediaFormat } from '#contract/formats.ts';
import { mayBe } from '#service/drive/may-be.ts';
import { performPlaces } from '#service/drive/perform-places.ts';
import type { Evidence } from '#service/ports.ts';
import { makeDocx, makeXlsx } from '#test/support/documents/make-office.ts';
import { makePages } from '#test/support/documents/make-pdf.ts';
import { makeZip } from '#test/support/documents/make-zip.ts';

const document = (name: string) => readFileSync(`test/fixtures/documents/${name}`);
const png = hugePicture();
const pdf = makePages(['one']);
const docx = makeDocx('<w:p/>');

/** Declared format, bytes, whether they may be it (docs/spec/verification.md §3.3). */
const rows: readonly (readonly [string, MediaFormat, Uint8Array, boolean])[] = [
  ['a PDF', 'pdf', document('report-chromium.pdf'), true],
  ['a document of LibreOffice', 'docx', document('letter-libreoffice.docx'), true],
  ['a document of python-docx', 'docx', document('letter-python-docx.docx'), true],
  ['a workbook of XlsxWriter', 'xlsx', document('ledger-xlsxwriter.xlsx'), true],
  ['a workbook of openpyxl', 'xlsx', document('ledger-openpyxl.xlsx'), true],
  ['a presentation of LibreOffice', 'pptx', document('slides-libreoffice.pptx'), true],
  ['a presentation as archive', 'zip', document('slides-libreoffice.pptx'), true],
  ['a picture', 'png', png, true],
  ['a picture under another extension', 'jpeg', png, false],
  ['a picture as PDF', 'pdf', png, false],
  ['a picture as text', 'text', png, false],
  ['a PDF as picture', 'png', pdf, false],
  ['a PDF as text', 'text', pdf, false],
  ['a PDF as document', 'docx', pdf, false],
  ['a document as PDF', 'pdf', docx, false],
  ['a document as text', 'markdown', docx, false],
  ['a workbook as document', 'docx', makeXlsx([{ name: 'Sheet1', rows: '' }]), false],
  ['a text as picture', 'gif', Buffer.from('plain text'), false],
  ['a web page as picture', 'webp', Buffer.from('<html><script>alert(1)</script></html>'), false],
  ['nothing as picture', 'png', new Uint8Array(), false],
  ['a web page as text', 'text', Buffer.from('<html></html>'), true],
  ['a container of a PDF as PDF', 'pdf', makeZip([{ name: 'a.pdf', content: pdf, stored: true }]), false],
  ['a PDF that ends as a container', 'zip', Buffer.concat([pdf, makeZip([{ name: 'a', content: 'a' }])]), false],
  ['text as document, which its reader judges', 'docx', Buffer.from('plain'), true],
];

describe('mayBe', () => {
  test.each(rows)('%s declared %s', async (_title, declared, bytes, expected) => {
    expect(await mayBe(declared, bytes)).toBe(expected);
  });
});

describe('a picture of 100,000 by 100,000', () => {
  test('has one page and is never unpacked', async () => {
    const extract = createExtract();
    const sha256 = createHash('sha256').update(png).digest('hex');
    const before = process.memoryUsage.rss();
    const evidence: Evidence = {
      sizes: async () => new Map([[sha256, png.byteLength]]),
      read: async () => png,
      readPart: async (_tenant, _sha256, from, to) => png.subarray(from, to),
      write: async () => 'stored',
    };
    const performed = await performPlaces(
      { evidence, extract },
      { tenant: 't' },
      {
        id: 'places:scan',
        attempt: 1,
        delay_ms: 0,
        kind: 'places',
        slot: 'scan',
        media: { kind: 'file', sha256, size_bytes: png.byteLength, format: 'png' },
      },
      new AbortController().signal,
    );
    await extract.close();
    expect(performed.result).toEqual({ kind: 'places', places: { kind: 'pages', texts: [''] } });
    expect(process.memoryUsage.rss() - before).toBeLessThan(256 * 1024 * 1024);
  });
});

function hugePicture(): Uint8Array {
  const size = Buffer.alloc(13);
  size.writeUInt32BE(100_000, 0);
  size.writeUInt32BE(100_000, 4);
  size.writeUInt8(8, 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', size),
    chunk('IDAT', Buffer.from([0x78, 0x9c, 0x03, 0x00])),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind), data]);
  const edges = Buffer.alloc(8);
  edges.writeUInt32BE(data.byteLength, 0);
  edges.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([edges.subarray(0, 4), body, edges.subarray(4)]);
}
