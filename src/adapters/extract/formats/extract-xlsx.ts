import type { JsonObject } from '#contract/json.ts';
import { unreadable } from '../archive/archive-limits.ts';
import { type OfficePackage, openPackage, type Relation } from '../ooxml/open-package.ts';
import { readXml } from '../ooxml/read-xml.ts';
import { readSharedStrings } from '../ooxml/shared-strings.ts';
import { readSheet } from '../ooxml/sheet-cells.ts';
import { textBudget } from '../text-budget.ts';

const mainType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml';

/**
 * `{format, sheets}` in workbook order, hidden ones too (docs/spec/verification.md §4.3). Values are those the file
 * stores: formulas are not recomputed, dates stay serial numbers. A sheet that is a chart has no cells.
 */
export function extractXlsx(bytes: Uint8Array): JsonObject {
  const document = openPackage(bytes, mainType);
  const budget = textBudget();
  const relations = document.relations(document.main);
  const strings = sharedStrings(document, relations);
  const sheets = sheetsOf(document, relations).map(({ name, kind, part }) => {
    budget.text(name);
    const cells = kind === 'worksheet' ? readSheet(document.read(part), strings, budget) : [];
    return { name, cells: cells.map((cell) => ({ ...cell })) };
  });
  return { format: 'xlsx', sheets };
}

function sharedStrings(document: OfficePackage, relations: readonly Relation[]): readonly string[] {
  const found = relations.find(({ kind }) => kind === 'sharedStrings');
  return found === undefined ? [] : readSharedStrings(document.read(found.part));
}

interface Sheet {
  readonly name: string;
  readonly kind: string;
  readonly part: string;
}

function sheetsOf(document: OfficePackage, relations: readonly Relation[]): readonly Sheet[] {
  const parts = new Map(relations.map((relation) => [relation.id, relation]));
  const sheets: Sheet[] = [];
  readXml(document.read(document.main), {
    open: (name, attribute) => {
      if (name !== 'x:sheet') return;
      const relation = parts.get(attribute('r:id') ?? '');
      const title = attribute('name');
      if (relation === undefined || title === undefined) throw unreadable('a sheet of the workbook is missing');
      sheets.push({ name: title, kind: relation.kind, part: relation.part });
    },
  });
  return sheets;
}
