/** Rows and columns count from 1; the largest cell is XFD1048576. */
export interface Address {
  readonly row: number;
  readonly column: number;
}

export const maxRow = 1_048_576;
export const maxColumn = 16_384;

/** `B7`; null for what names no cell of a sheet. */
export function parseAddress(text: string): Address | null {
  const [, letters, digits] = /^([A-Z]{1,3})([1-9]\d{0,6})$/.exec(text) ?? [];
  if (letters === undefined || digits === undefined) return null;
  const [row, column] = [Number(digits), parseColumn(letters)];
  return row > maxRow || column > maxColumn ? null : { row, column };
}

export function formatAddress({ row, column }: Address): string {
  return `${formatColumn(column)}${row}`;
}

export function parseColumn(letters: string): number {
  let column = 0;
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}

export function formatColumn(column: number): string {
  let letters = '';
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}
