import { describe, expect, test } from 'vitest';
import { extractDocx } from '#adapters/extract/formats/extract-docx.ts';
import { extractPptx } from '#adapters/extract/formats/extract-pptx.ts';
import { extractXlsx } from '#adapters/extract/formats/extract-xlsx.ts';
import { makeDocx, makePptx, makeXlsx, relations, sharedStrings, slide } from '#test/support/documents/make-office.ts';

const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;
const p = (inner: string) => `<w:p>${inner}</w:p>`;
const tc = (inner: string, properties = '') => `<w:tc><w:tcPr>${properties}</w:tcPr>${inner}</w:tc>`;
const tr = (...cells: readonly string[]) => `<w:tr>${cells.join('')}</w:tr>`;
const paragraph = (text: string, style: string | null = null) => ({ kind: 'paragraph', text, style });
const choice = (first: string, second: string) =>
  `<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="wps">${first}</mc:Choice><mc:Fallback>${second}</mc:Fallback></mc:AlternateContent>`;

describe('docx', () => {
  test.each([
    [
      'runs, tabs, breaks',
      p('<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r>'),
      [paragraph('a\tb\nc-d')],
    ],
    ['white space is kept', p(run('  a  ')), [paragraph('  a  ')]],
    ['entities of XML', p(run('&lt;a&gt; &amp; &#x1F600; <![CDATA[<b>]]>')), [paragraph('<a> & 😀 <b>')]],
    ['tab stops are no tabs', p(`<w:pPr><w:tabs><w:tab w:pos="9"/></w:tabs></w:pPr>${run('a')}`), [paragraph('a')]],
    ['a hyperlink', p(`<w:hyperlink>${run('link')}</w:hyperlink>`), [paragraph('link')]],
    ['a content control', `<w:sdt><w:sdtContent>${p(run('a'))}</w:sdtContent></w:sdt>`, [paragraph('a')]],
    ['inserted text', p(`<w:ins>${run('new')}</w:ins>`), [paragraph('new')]],
    [
      'deleted text',
      p(`<w:del><w:r><w:delText>old</w:delText><w:tab/></w:r></w:del>${run('new')}`),
      [paragraph('new')],
    ],
    [
      'text moved away',
      p(`<w:moveFrom>${run('old')}</w:moveFrom><w:moveTo>${run('new')}</w:moveTo>`),
      [paragraph('new')],
    ],
    [
      'the style before a change',
      p('<w:pPr><w:pStyle w:val="New"/><w:pPrChange><w:pPr><w:pStyle w:val="Old"/></w:pPr></w:pPrChange></w:pPr>'),
      [paragraph('', 'New')],
    ],
    ['instructions of a field', p(`<w:r><w:instrText>PAGE</w:instrText></w:r>${run('7')}`), [paragraph('7')]],
    [
      'a text box and its older form',
      p(
        `${run('a')}<w:r>${choice(`<w:txbxContent>${p(run('box'))}</w:txbxContent>`, `<w:txbxContent>${p(run('box'))}</w:txbxContent>`)}</w:r>${run('b')}`,
      ),
      [paragraph('ab'), paragraph('box')],
    ],
    ['elements of another kind', p('<x:t xmlns:x="urn:other">no</x:t>'), [paragraph('')]],
    [
      'cells of several paragraphs',
      `<w:tbl>${tr(tc(p(run('a')) + p(run('b'))))}</w:tbl>`,
      [{ kind: 'table', rows: [['a\nb']] }],
    ],
    [
      'a cell over two columns',
      `<w:tbl>${tr(tc(p(run('a')), '<w:gridSpan w:val="2"/>'), tc(p(run('b'))))}</w:tbl>`,
      [{ kind: 'table', rows: [['a', '', 'b']] }],
    ],
    [
      'a cell over two rows',
      `<w:tbl>${tr(tc(p(run('a')), '<w:vMerge w:val="restart"/>'))}${tr(tc(p(run('x')), '<w:vMerge/>'))}</w:tbl>`,
      [{ kind: 'table', rows: [['a'], ['']] }],
    ],
    [
      'a row that begins late',
      `<w:tbl>${tr('<w:trPr><w:gridBefore w:val="1"/></w:trPr>', tc(p(run('b'))))}</w:tbl>`,
      [{ kind: 'table', rows: [['', 'b']] }],
    ],
    [
      'a table in a cell',
      `<w:tbl>${tr(tc(`${p(run('a'))}<w:tbl>${tr(tc(p(run('b'))), tc(p(run('c')), '<w:gridSpan w:val="5"/>'))}</w:tbl>${p('')}`), tc(p(run('d'))))}</w:tbl>`,
      [{ kind: 'table', rows: [['a\nb\nc\n', 'd']] }],
    ],
    [
      'order',
      `${p(run('1'))}<w:tbl>${tr(tc(p(run('2'))))}</w:tbl>${p(run('3'))}`,
      [paragraph('1'), { kind: 'table', rows: [['2']] }, paragraph('3')],
    ],
  ])('%s', (_title, body, blocks) => {
    expect(extractDocx(makeDocx(body))).toEqual({ format: 'docx', blocks });
  });
});

const shape = (text: string, type?: string) =>
  `<p:sp><p:nvSpPr><p:nvPr>${type === undefined ? '' : `<p:ph type="${type}"/>`}</p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;

describe('pptx', () => {
  const read = (shapes: string) => extractPptx(makePptx([{ part: 'slide1.xml', title: 'T', shapes }])).slides;

  test.each([
    ['text in order', shape('a') + shape('b'), { paragraphs: ['a', 'b'] }],
    ['a second title is text', shape('again', 'title'), { paragraphs: ['again'] }],
    ['a shape in groups', `<p:grpSp><p:grpSp>${shape('in')}</p:grpSp></p:grpSp>`, { paragraphs: ['in'] }],
    [
      'a break and an empty paragraph',
      '<p:sp><p:txBody><a:p><a:r><a:t>a</a:t></a:r><a:br/><a:r><a:t>b</a:t></a:r></a:p><a:p/></p:txBody></p:sp>',
      { paragraphs: ['a\nb'] },
    ],
    [
      'a field',
      '<p:sp><p:txBody><a:p><a:fld type="slidenum"><a:t>7</a:t></a:fld></a:p></p:txBody></p:sp>',
      { paragraphs: ['7'] },
    ],
    [
      'a table with covered cells',
      '<p:graphicFrame><a:tbl><a:tr><a:tc gridSpan="2" rowSpan="2"><a:txBody><a:p><a:r><a:t>a</a:t></a:r></a:p><a:p><a:r><a:t>b</a:t></a:r></a:p></a:txBody></a:tc><a:tc hMerge="1"><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc></a:tr><a:tr><a:tc vMerge="1"/><a:tc hMerge="1" vMerge="1"/></a:tr></a:tbl></p:graphicFrame>',
      {
        tables: [
          {
            rows: [
              ['a\nb', ''],
              ['', ''],
            ],
          },
        ],
      },
    ],
  ])('%s', (_title, shapes, expected) => {
    expect(read(shapes)).toEqual([{ number: 1, title: 'T', paragraphs: [], tables: [], notes: '', ...expected }]);
  });

  test('notes are those of the body, not of the number or the picture', () => {
    const notes = slide('x', '').replace(/<p:sp>.*<\/p:sp>/, shape('12', 'sldNum') + shape('spoken', 'body'));
    const made = makePptx(
      [{ part: 'slide1.xml', title: 'T' }],
      [
        {
          name: 'ppt/slides/_rels/slide1.xml.rels',
          content: relations([{ id: 'n', kind: 'notesSlide', target: '../notesSlides/n.xml' }]),
        },
        { name: 'ppt/notesSlides/n.xml', content: notes },
      ],
    );
    expect(extractPptx(made).slides).toMatchObject([{ title: 'T', notes: 'spoken' }]);
  });

  test('a slide without text in its title has none', () => {
    expect(extractPptx(makePptx([{ part: 'slide1.xml', title: '' }])).slides).toMatchObject([{ title: null }]);
  });
});

const row = (cells: string, number = 1) => `<row r="${number}">${cells}</row>`;
const cell = (address: string, value: unknown, more: object = {}) => ({
  address,
  value,
  formula: null,
  error: null,
  ...more,
});

describe('xlsx', () => {
  test.each([
    [
      'numbers',
      row('<c r="A1"><v>1.0</v></c><c r="B1"><v>-2.5E-3</v></c><c r="C1"><v>-0</v></c>'),
      [cell('A1', 1), cell('B1', -0.0025), cell('C1', 0)],
    ],
    [
      'booleans',
      row('<c r="A1" t="b"><v>1</v></c><c r="B1" t="b"><v>0</v></c>'),
      [cell('A1', true), cell('B1', false)],
    ],
    ['an error', row('<c r="A1" t="e"><v>#N/A</v></c>'), [cell('A1', null, { error: '#N/A' })]],
    ['a date is its number', row('<c r="A1" s="1"><v>46084</v></c>'), [cell('A1', 46_084)]],
    [
      'inline text',
      row(
        '<c r="A1" t="inlineStr"><is><r><t>a</t></r><r><t xml:space="preserve"> b</t></r><rPh sb="0" eb="1"><t>no</t></rPh></is></c>',
      ),
      [cell('A1', 'a b')],
    ],
    ['shared text', row('<c r="A1" t="s"><v>1</v></c>'), [cell('A1', 'two\r')]],
    ['an empty text is there', row('<c r="A1" t="s"><v>2</v></c>'), [cell('A1', '')]],
    [
      'a formula with a text',
      row('<c r="A1" t="str"><f>B1&amp;"x"</f><v>bx</v></c>'),
      [cell('A1', 'bx', { formula: '=B1&"x"' })],
    ],
    ['a formula without a value', row('<c r="A1"><f>1+1</f></c>'), [cell('A1', null, { formula: '=1+1' })]],
    [
      'a formula that failed',
      row('<c r="A1" t="e"><f>1/0</f><v>#DIV/0!</v></c>'),
      [cell('A1', null, { formula: '=1/0', error: '#DIV/0!' })],
    ],
    [
      'a shared formula',
      row('<c r="A1"><f t="shared" ref="A1:A2" si="0">B1*$C$1</f><v>2</v></c>') +
        row('<c r="A2"><f t="shared" si="0"/><v>4</v></c>', 2),
      [cell('A1', 2, { formula: '=B1*$C$1' }), cell('A2', 4, { formula: '=B2*$C$1' })],
    ],
    ['a data table', row('<c r="A1"><f t="dataTable" ref="A1:A2" r1="B1"/><v>2</v></c>'), [cell('A1', 2)]],
    ['styled cells without a value are absent', row('<c r="A1" s="3"/><c r="B1"><v>1</v></c>'), [cell('B1', 1)]],
    [
      'cells without addresses',
      '<row><c><v>1</v></c><c/><c><v>3</v></c></row><row><c><v>4</v></c></row>',
      [cell('A1', 1), cell('C1', 3), cell('A2', 4)],
    ],
    [
      'cells out of order',
      row('<c r="B2"><v>4</v></c><c r="A2"><v>3</v></c>', 2) + row('<c r="AA1"><v>2</v></c><c r="Z1"><v>1</v></c>'),
      [cell('Z1', 1), cell('AA1', 2), cell('A2', 3), cell('B2', 4)],
    ],
  ])('%s', (_title, rows, cells) => {
    const strings = sharedStrings(['one', 'two_x000D_', '']);
    const made = makeXlsx([{ name: 'A &amp; B', rows }], [{ name: 'xl/sharedStrings.xml', content: strings }]);
    expect(extractXlsx(made)).toEqual({ format: 'xlsx', sheets: [{ name: 'A & B', cells }] });
  });

  test('half a character stays as it is written', () => {
    const made = makeXlsx([{ name: 'S', rows: row('<c r="A1" t="str"><v>_xD800_</v></c>') }]);
    expect(extractXlsx(made).sheets).toEqual([{ name: 'S', cells: [cell('A1', '_xD800_')] }]);
  });
});
