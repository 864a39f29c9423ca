import { formatColumn, maxColumn, maxRow, parseColumn } from './cell-address.ts';

/**
 * A formula as it reads in a cell that lies so many rows and columns further: relative references move, those with `$`,
 * texts, names of sheets and of functions stay (ECMA-376 part 1 §18.3.1.40, shared formulas). A reference that leaves
 * the sheet comes in at its other side, as in a spreadsheet program.
 */
export function moveFormula(formula: string, rows: number, columns: number): string {
  return formula.replace(tokens, (token, ...groups) => {
    const names = groups.at(-1) as Readonly<Record<string, string | undefined>>;
    const { columnFixed, column, rowFixed, row } = names;
    if (column !== undefined && row !== undefined && isCell(column, row))
      return `${movedColumn(columnFixed, column, columns)}${movedRow(rowFixed, row, rows)}`;
    const { firstFixed, first, lastFixed, last } = names;
    if (first !== undefined && last !== undefined)
      return `${movedColumn(firstFixed, first, columns)}:${movedColumn(lastFixed, last, columns)}`;
    const { topFixed, top, bottomFixed, bottom } = names;
    if (top !== undefined && bottom !== undefined)
      return `${movedRow(topFixed, top, rows)}:${movedRow(bottomFixed, bottom, rows)}`;
    return token;
  });
}

/**
 * In turn: a text, a quoted sheet name, a bracketed part of a table or another workbook, cells, whole columns, whole
 * rows, and any other word, which has to be taken whole so that nothing inside it looks like a reference. Every
 * alternative has one way to match, so the time is linear.
 */
const tokens = new RegExp(
  [
    '"[^"]*"',
    "'[^']*'",
    '\\[[^\\[\\]]*\\]',
    '(?<columnFixed>\\$?)(?<column>[A-Za-z]{1,3})(?<rowFixed>\\$?)(?<row>[1-9]\\d{0,6})(?![\\w.(!\\u0080-\\uffff])',
    '(?<firstFixed>\\$?)(?<first>[A-Za-z]{1,3}):(?<lastFixed>\\$?)(?<last>[A-Za-z]{1,3})(?![\\w.(!\\u0080-\\uffff])',
    '(?<topFixed>\\$?)(?<top>[1-9]\\d{0,6}):(?<bottomFixed>\\$?)(?<bottom>[1-9]\\d{0,6})(?![\\w.(!\\u0080-\\uffff])',
    '[\\w.$\\u0080-\\uffff]+',
  ].join('|'),
  'g',
);

/** Beyond the last column or row it is a name that only looks like a reference. */
function isCell(column: string, row: string): boolean {
  return parseColumn(column) <= maxColumn && Number(row) <= maxRow;
}

function movedColumn(fixed: string | undefined, letters: string, by: number): string {
  const column = parseColumn(letters);
  return fixed === '$' || column > maxColumn ? `${fixed}${letters}` : formatColumn(around(column + by, maxColumn));
}

function movedRow(fixed: string | undefined, digits: string, by: number): string {
  const row = Number(digits);
  return fixed === '$' || row > maxRow ? `${fixed}${digits}` : String(around(row + by, maxRow));
}

function around(place: number, most: number): number {
  return ((((place - 1) % most) + most) % most) + 1;
}
