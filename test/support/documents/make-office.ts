import { type MadeEntry, makeZip } from './make-zip.ts';

const office = 'http://schemas.openxmlformats.org';
const relationTypes = `${office}/officeDocument/2006/relationships`;
const types = 'application/vnd.openxmlformats-officedocument';

export const mainTypes = {
  docx: `${types}.wordprocessingml.document.main+xml`,
  xlsx: `${types}.spreadsheetml.sheet.main+xml`,
  pptx: `${types}.presentationml.presentation.main+xml`,
} as const;

export const mainParts = { docx: 'word/document.xml', xlsx: 'xl/workbook.xml', pptx: 'ppt/presentation.xml' } as const;

export type OfficeFormat = keyof typeof mainTypes;

export interface Relation {
  readonly id: string;
  readonly kind: string;
  readonly target: string;
  readonly external?: boolean;
}

export function relations(list: readonly Relation[]): string {
  const items = list.map(
    ({ id, kind, target, external }) =>
      `<Relationship Id="${id}" Type="${relationTypes}/${kind}" Target="${target}"${external === true ? ' TargetMode="External"' : ''}/>`,
  );
  return `<Relationships xmlns="${office}/package/2006/relationships">${items.join('')}</Relationships>`;
}

/** The entries that every Office document has, before its own. */
export function packageEntries(format: OfficeFormat, mainType: string = mainTypes[format]): readonly MadeEntry[] {
  const contentTypes = `<Types xmlns="${office}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${mainParts[format]}" ContentType="${mainType}"/></Types>`;
  return [
    { name: '[Content_Types].xml', content: contentTypes },
    { name: '_rels/.rels', content: relations([{ id: 'r1', kind: 'officeDocument', target: mainParts[format] }]) },
  ];
}

export function wordDocument(body: string): string {
  return `<w:document xmlns:w="${office}/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`;
}

export function makeDocx(body: string, others: readonly MadeEntry[] = [], mainType?: string): Uint8Array {
  return makeZip([
    ...packageEntries('docx', mainType),
    { name: mainParts.docx, content: wordDocument(body) },
    ...others,
  ]);
}

export interface MadeSheet {
  readonly name: string;
  /** The rows, as XML. */
  readonly rows: string;
}

export function makeXlsx(
  sheets: readonly MadeSheet[],
  others: readonly MadeEntry[] = [],
  mainType?: string,
): Uint8Array {
  const listed = sheets.map(({ name }, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="s${index}"/>`);
  const parts = sheets.map((_, index) => ({
    id: `s${index}`,
    kind: 'worksheet',
    target: `worksheets/sheet${index}.xml`,
  }));
  return makeZip([
    ...packageEntries('xlsx', mainType),
    {
      name: mainParts.xlsx,
      content: `<workbook xmlns="${office}/spreadsheetml/2006/main" xmlns:r="${relationTypes}"><sheets>${listed.join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: relations([...parts, { id: 'strings', kind: 'sharedStrings', target: 'sharedStrings.xml' }]),
    },
    ...(others.some(({ name }) => name === 'xl/sharedStrings.xml')
      ? []
      : [{ name: 'xl/sharedStrings.xml', content: sharedStrings([]) }]),
    ...sheets.map(({ rows }, index) => ({
      name: `xl/worksheets/sheet${index}.xml`,
      content: `<worksheet xmlns="${office}/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`,
    })),
    ...others,
  ]);
}

export function sharedStrings(texts: readonly string[]): string {
  return `<sst xmlns="${office}/spreadsheetml/2006/main">${texts.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`;
}

export interface MadeSlide {
  readonly part: string;
  readonly title: string;
  /** Further shapes, as XML. */
  readonly shapes?: string;
}

/** A presentation of titles in the order shown; `written` is the order of the parts in the file. */
export function makePptx(slides: readonly MadeSlide[], others: readonly MadeEntry[] = []): Uint8Array {
  const shown = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="s${index}"/>`);
  const parts = new Map(slides.map((made) => [made.part, made]));
  const written = [...parts.values()].sort((left, right) => left.part.localeCompare(right.part, 'en'));
  return makeZip([
    ...packageEntries('pptx'),
    {
      name: mainParts.pptx,
      content: `<p:presentation xmlns:p="${office}/presentationml/2006/main" xmlns:r="${relationTypes}"><p:sldIdLst>${shown.join('')}</p:sldIdLst></p:presentation>`,
    },
    {
      name: 'ppt/_rels/presentation.xml.rels',
      content: relations(
        slides.map(({ part }, index) => ({ id: `s${index}`, kind: 'slide', target: `slides/${part}` })),
      ),
    },
    ...written.map(({ part, title, shapes }) => ({ name: `ppt/slides/${part}`, content: slide(title, shapes) })),
    ...others,
  ]);
}

export function slide(title: string, shapes = ''): string {
  return `<p:sld xmlns:p="${office}/presentationml/2006/main" xmlns:a="${office}/drawingml/2006/main" xmlns:r="${relationTypes}"><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${title}</a:t></a:r></a:p></p:txBody></p:sp>${shapes}</p:spTree></p:cSld></p:sld>`;
}
