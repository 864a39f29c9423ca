import { deflateSync } from 'node:zlib';
import { deflatedZeros, makePageOf, makePdf, stream } from './make-pdf.ts';
import { makeZip } from './make-zip.ts';

type Maker = () => Uint8Array;

const text = 'BT /F1 12 Tf 72 700 Td (fine) Tj ET';
const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
const fonts = `<< /Font << /F1 ${font} >> >>`;
const page = (contents: string, parent = '2 0 R') =>
  `<< /Type /Page /Parent ${parent} /MediaBox [0 0 595 842] /Resources ${fonts} /Contents ${contents} >>`;
const pages = (kids: string, count: number) => `<< /Type /Pages /Kids [${kids}] /Count ${count} >>`;
const catalog = (more = '') => `<< /Type /Catalog /Pages 2 0 R ${more} >>`;
const plain = (more = '', trailer = '') =>
  makePdf([catalog(more), pages('3 0 R', 1), page('4 0 R'), stream(text)], trailer);
const replaced = (bytes: Uint8Array, from: RegExp | string, to: string) =>
  Buffer.from(Buffer.from(bytes).toString('latin1').replace(from, to), 'latin1');

/** PDFs made against the reader, by case id of test/fixtures/hostile/cases.yaml. */
export const hostilePdfs: Readonly<Record<string, Maker>> = {
  'pdf-flate-bomb': () => makePageOf(stream(deflatedZeros(64).zlib, '/Filter /FlateDecode')),
  'pdf-flate-twice': () =>
    makePageOf(stream(deflateSync(deflatedZeros(64).zlib), '/Filter [/FlateDecode /FlateDecode]')),
  'pdf-flate-thrice': () =>
    makePageOf(
      stream(deflateSync(deflateSync(deflatedZeros(64).zlib)), '/Filter [/FlateDecode /FlateDecode /FlateDecode]'),
    ),
  'pdf-billion-objects': () =>
    replaced(replaced(plain(), /xref\n0 5/, 'xref\n0 1000000000'), '/Size 5', '/Size 1000000000'),
  'pdf-billion-in-object-stream': () =>
    makePdf([
      catalog(),
      pages('3 0 R', 1),
      page('6 0 R'),
      stream('1 0 ', '/Type /ObjStm /N 1000000000 /First 1000000000'),
    ]),
  'pdf-billion-pages': () => makePdf([catalog(), pages('3 0 R', 1_000_000_000), page('4 0 R'), stream(text)]),
  'pdf-pages-in-circle': () => makePdf([catalog(), pages('2 0 R', 1)]),
  'pdf-pages-in-long-circle': () => makePdf([catalog(), pages('3 0 R', 3), pages('2 0 R', 3)]),
  'pdf-reference-to-itself': () => makePdf([catalog(), pages('3 0 R', 1), page('4 0 R'), '4 0 R']),
  'pdf-references-in-circle': () => makePdf([catalog(), pages('3 0 R', 1), page('4 0 R'), '5 0 R', '4 0 R']),
  'pdf-length-of-itself': () =>
    makePdf([
      catalog(),
      pages('3 0 R', 1),
      page('4 0 R'),
      Buffer.from(`<< /Length 4 0 R >>\nstream\n${text}\nendstream`),
    ]),
  'pdf-previous-is-itself': () => {
    const start = /startxref\n(\d+)/.exec(Buffer.from(plain()).toString('latin1'))?.[1] ?? '0';
    return plain('', `/Prev ${start}`);
  },
  'pdf-form-in-itself': () =>
    makePageOf(
      stream('/Fm Do', '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /Fm 4 0 R >> >>'),
      '<< /XObject << /Fm 4 0 R >> >>',
    ),
  'pdf-forms-doubling': formsDoubling,
  'pdf-deep-arrays': () =>
    makePdf([catalog(), pages('3 0 R', 1), page('4 0 R'), `${'['.repeat(200_000)}${']'.repeat(200_000)}`]),
  'pdf-script': () => plain('/OpenAction << /S /JavaScript /JS (app.alert\\(1\\); while\\(true\\){}) >>'),
  'pdf-launch': () => plain('/OpenAction << /S /Launch /F (/bin/sh) >>'),
  'pdf-external-stream': () =>
    makePdf([
      catalog(),
      pages('3 0 R', 1),
      page('4 0 R'),
      stream('', '/F << /FS /URL /F (http://127.0.0.1:9/content) >>'),
    ]),
  'pdf-without-pages': () => makePdf([catalog(), pages('', 0)]),
  'pdf-without-catalog': () => makePdf(['<< >>']),
  'pdf-header-only': () => Buffer.from('%PDF-1.7\n'),
  'pdf-late-header': () => Buffer.concat([Buffer.from(`<script>alert(1)</script>${' '.repeat(300)}`), plain()]),
  'pdf-in-zip': () => makeZip([{ name: 'inner.pdf', content: plain(), stored: true }]),
  'pdf-broken-content': () =>
    makePdf([catalog(), pages('3 0 R', 1), page('4 0 R'), stream('BT (never closed', '/Filter /FlateDecode')]),
  'pdf-much-text': () =>
    makePageOf(stream(`BT /F1 6 Tf ${`1 0 0 1 9 700 Tm (${'many words '.repeat(14)}) Tj `.repeat(70_000)} ET`), fonts),
  'pdf-half-character': () =>
    makePdf([
      catalog(),
      pages('3 0 R', 1),
      page('4 0 R').replace(font, '5 0 R'),
      stream(text),
      font.replace('>>', '/ToUnicode 6 0 R >>'),
      stream('1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <66> <d800> endbfchar'),
    ]),
  'pdf-other-encryption': () =>
    plain('', `/Encrypt << /Filter /Standard /V 9 /R 9 /O (x) /U (x) /P -1 >> /ID [<00> <00>]`),
};

/** Each form draws the next one twice: two to the fortieth times in all. */
function formsDoubling(): Uint8Array {
  const depth = 40;
  const forms = Array.from({ length: depth }, (_, index) => {
    const next = index + 1 < depth ? `/Resources << /XObject << /Fm ${5 + index + 1} 0 R >> >>` : `/Resources ${fonts}`;
    return stream(index + 1 < depth ? '/Fm Do /Fm Do' : text, `/Type /XObject /Subtype /Form /BBox [0 0 9 9] ${next}`);
  });
  return makePdf([
    catalog(),
    pages('3 0 R', 1),
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /XObject << /Fm 5 0 R >> >> /Contents 4 0 R >>',
    stream('/Fm Do'),
    ...forms,
  ]);
}
