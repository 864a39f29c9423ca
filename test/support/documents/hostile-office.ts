import {
  mainParts,
  makeDocx,
  makePptx,
  makeXlsx,
  packageEntries,
  relations,
  sharedStrings,
  wordDocument,
} from './make-office.ts';
import { makeZip, noise } from './make-zip.ts';

type Maker = () => Uint8Array;

const padding = noise('docProps/noise.bin', 1 << 18);
const paragraph = '<w:p><w:r><w:t>fine</w:t></w:r></w:p>';
/** With bytes that do not deflate, so that the ratio of the container is not what ends it. */
const docxOf = (main: string | Uint8Array) => () =>
  makeZip([...packageEntries('docx'), { name: mainParts.docx, content: main }, padding]);
const sheetOf = (rows: string) => () => makeXlsx([{ name: 'Sheet1', rows }]);
const cell = (inner: string) => sheetOf(`<row r="1">${inner}</row>`);
const laughs = Array.from({ length: 9 }, (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`);
const external = (kind: string, target: string) => relations([{ id: 'r1', kind, target, external: true }]);

/** Office documents made against the reader, by case id of test/fixtures/hostile/cases.yaml. */
export const hostileOffice: Readonly<Record<string, Maker>> = {
  'xml-billion-laughs': docxOf(
    `<!DOCTYPE x [<!ENTITY l0 "ha">${laughs.join('')}]>${wordDocument('<w:p><w:r><w:t>&l9;</w:t></w:r></w:p>')}`,
  ),
  'xml-external-entity': docxOf(
    `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>${wordDocument('<w:p><w:r><w:t>&e;</w:t></w:r></w:p>')}`,
  ),
  'xml-external-dtd': docxOf(`<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">${wordDocument(paragraph)}`),
  'xml-unknown-entity': docxOf(wordDocument('<w:p><w:r><w:t>&nothing;</w:t></w:r></w:p>')),
  'xml-deep': docxOf(wordDocument(`${'<w:sdt>'.repeat(255)}${paragraph}${'</w:sdt>'.repeat(255)}`)),
  'xml-very-deep': docxOf(wordDocument('<w:sdt>'.repeat(200_000))),
  'xml-at-depth': docxOf(wordDocument(`${'<w:sdt>'.repeat(251)}${paragraph}${'</w:sdt>'.repeat(251)}`)),
  'xml-other-encoding': docxOf(`<?xml version="1.0" encoding="utf-7"?>${wordDocument(paragraph)}`),
  'xml-not-utf8': docxOf(Buffer.from(wordDocument('<w:p><w:r><w:t>\u00e9</w:t></w:r></w:p>'), 'latin1')),
  'xml-cut': docxOf(wordDocument(paragraph).slice(0, -20)),
  'xml-two-roots': docxOf(`${wordDocument(paragraph)}${wordDocument(paragraph)}`),
  'xml-utf16': docxOf(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(wordDocument(paragraph), 'utf16le')])),
  'office-main-outside': () =>
    makeZip([
      ...packageEntries('docx').slice(0, 1),
      { name: '_rels/.rels', content: external('officeDocument', 'http://127.0.0.1:9/document.xml') },
      { name: mainParts.docx, content: wordDocument(paragraph) },
    ]),
  'office-main-above': () =>
    makeZip([
      ...packageEntries('docx').slice(0, 1),
      { name: '_rels/.rels', content: relations([{ id: 'r1', kind: 'officeDocument', target: '../../etc/hostname' }]) },
    ]),
  'office-external-template': () =>
    makeDocx(paragraph, [
      { name: 'word/_rels/document.xml.rels', content: external('attachedTemplate', 'http://127.0.0.1:9/macro.dotm') },
    ]),
  'office-macro-docm': () => makeDocx(paragraph, [], 'application/vnd.ms-word.document.macroEnabled.main+xml'),
  'office-macro-xlsm': () => makeXlsx([], [], 'application/vnd.ms-excel.sheet.macroEnabled.main+xml'),
  'office-template': () =>
    makeDocx(paragraph, [], 'application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml'),
  'office-other-kind': () => makeXlsx([{ name: 'Sheet1', rows: '' }]),
  'docx-many-columns': () =>
    makeDocx('<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="999999999"/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>'),
  'docx-columns-before': () =>
    makeDocx('<w:tbl><w:tr><w:trPr><w:gridBefore w:val="999999999"/></w:trPr></w:tr></w:tbl>'),
  'docx-much-text': docxOf(wordDocument(`<w:p><w:r><w:t>${'text '.repeat(2_200_000)}</w:t></w:r></w:p>`)),
  'docx-prototype-style': () =>
    makeDocx('<w:p><w:pPr><w:pStyle w:val="__proto__"/></w:pPr><w:r><w:t>fine</w:t></w:r></w:p>'),
  'pptx-501-slides': () =>
    makePptx(
      Array.from({ length: 501 }, () => ({ part: 'slide1.xml', title: 'x' })),
      [padding],
    ),
  'pptx-missing-slide': () => {
    const good = makePptx([{ part: 'slide1.xml', title: 'x' }]);
    return Buffer.from(
      Buffer.from(good).toString('latin1').replaceAll('ppt/slides/slide1.xml', 'ppt/slides/slide9.xml'),
      'latin1',
    );
  },
  'pptx-outside-notes': () =>
    makePptx(
      [{ part: 'slide1.xml', title: 'x' }],
      [{ name: 'ppt/slides/_rels/slide1.xml.rels', content: external('notesSlide', 'file:///etc/hostname') }],
    ),
  // 62 rows of all 16,384 columns.
  'xlsx-many-cells': () =>
    makeXlsx([{ name: 'Sheet1', rows: `<row>${'<c/>'.repeat(16_384)}</row>`.repeat(62) }], [padding]),
  'xlsx-large-output': () =>
    makeXlsx([{ name: 'Sheet1', rows: `<row>${'<c><v>1</v></c>'.repeat(16_384)}</row>`.repeat(20) }], [padding]),
  'xlsx-repeated-text': () =>
    makeXlsx(
      [{ name: 'Sheet1', rows: `<row r="1">${'<c t="s"><v>0</v></c>'.repeat(12)}</row>` }],
      [{ name: 'xl/sharedStrings.xml', content: sharedStrings(['x'.repeat(1 << 20)]) }, padding],
    ),
  'xlsx-string-index': cell('<c r="A1" t="s"><v>7</v></c>'),
  'xlsx-negative-index': cell('<c r="A1" t="s"><v>-1</v></c>'),
  'xlsx-not-a-number': cell('<c r="A1"><v>NaN</v></c>'),
  'xlsx-infinite': cell('<c r="A1"><v>1e999</v></c>'),
  'xlsx-hexadecimal': cell('<c r="A1"><v>0x10</v></c>'),
  'xlsx-cell-twice': cell('<c r="A1"><v>1</v></c><c r="A1"><v>2</v></c>'),
  'xlsx-address-beyond': cell('<c r="XFE1"><v>1</v></c>'),
  'xlsx-address-of-other-row': cell('<c r="A2"><v>1</v></c>'),
  'xlsx-row-zero': sheetOf('<row r="0"><c><v>1</v></c></row>'),
  'xlsx-lost-shared-formula': cell('<c r="A1"><f t="shared" si="3"/><v>1</v></c>'),
  'xlsx-unknown-type': cell('<c r="A1" t="x"><v>1</v></c>'),
};
