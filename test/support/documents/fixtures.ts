import { crc32 } from 'node:zlib';
import { makeDocx, makePptx, makeXlsx, sharedStrings } from './make-office.ts';
import { deflatedZeros, makePageOf, makePages, makeScan, stream } from './make-pdf.ts';

const ordinals = [
  'First',
  'Second',
  'Third',
  'Fourth',
  'Fifth',
  'Sixth',
  'Seventh',
  'Eighth',
  'Ninth',
  'Tenth',
  'Eleventh',
];

/** The fixtures of test/conformance/README.md, made when they are asked for. */
const makers: Readonly<Record<string, () => Uint8Array>> = {
  'pdf-3-pages': () => makePages(['Page one', 'Page two', 'Page three']),
  'pdf-scan-one-page': makeScan,
  'pdf-501-pages': () => makePages(Array.from({ length: 501 }, (_, index) => `Page ${index + 1}`)),
  'pdf-flate-1gb': () => makePageOf(stream(deflatedZeros(64).zlib, '/Filter /FlateDecode')),
  'pptx-11-slides-shuffled-parts': shuffledSlides,
  'pptx-ratio-1000': () => makePptx([{ part: 'slide1.xml', title: 'First' }], [zeros('ppt/media/zeros.bin', 3)]),
  'docx-two-blocks': () =>
    makeDocx(
      '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Refund</w:t></w:r></w:p>' +
        '<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Item</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Sum</w:t></w:r></w:p></w:tc></w:tr></w:tbl>',
    ),
  'docx-10001-entries': () =>
    makeDocx(
      '<w:p/>',
      Array.from({ length: 9_998 }, (_, index) => ({ name: `word/media/${index}.bin`, content: '', stored: true })),
    ),
  'xlsx-one-sheet': () =>
    makeXlsx(
      [
        {
          name: 'Sheet1',
          rows: '<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="B2"><v>42</v></c></row>',
        },
      ],
      [{ name: 'xl/sharedStrings.xml', content: sharedStrings(['Total']) }],
    ),
};

const made = new Map<string, Uint8Array>();

export function documentFixture(name: string): Uint8Array {
  const known = made.get(name) ?? makers[name]?.();
  if (known === undefined) throw new Error(`no fixture ${name}`);
  made.set(name, known);
  return known;
}

/** Shown First to Eleventh; their parts have other numbers, and text order would take slide10 before slide2. */
function shuffledSlides(): Uint8Array {
  const numbers = [7, 10, 3, 1, 11, 5, 9, 2, 8, 4, 6];
  return makePptx(ordinals.map((title, index) => ({ part: `slide${numbers[index]}.xml`, title })));
}

/** An entry of zeros; its checksum is right where it is small enough to be reached. */
export function zeros(name: string, units: number) {
  const { raw, bytes } = deflatedZeros(units);
  return { name, content: '', packed: { bytes: raw, size: bytes, crc: units === 1 ? crc32(Buffer.alloc(bytes)) : 0 } };
}
