import { unreadable } from '../archive/archive-limits.ts';
import type { TextBudget } from '../text-budget.ts';
import { type Address, formatAddress, parseAddress } from './cell-address.ts';
import { moveFormula } from './move-formula.ts';
import { type Attributes, readXml } from './read-xml.ts';
import { decodeEscapes, richText } from './shared-strings.ts';

export interface SheetCell {
  readonly address: string;
  readonly value: string | number | boolean | null;
  readonly formula: string | null;
  readonly error: string | null;
}

interface OpenCell {
  readonly at: Address;
  readonly type: string;
  hasValue: boolean;
  value: string;
  hasFormula: boolean;
  formula: string;
  /** Group of a shared formula. */
  shared: string | null;
}

interface State {
  readonly strings: readonly string[];
  readonly budget: TextBudget;
  readonly cells: { readonly at: Address; readonly cell: SheetCell }[];
  readonly shared: Map<string, { readonly at: Address; readonly formula: string }>;
  readonly inline: ReturnType<typeof richText>;
  row: number;
  column: number;
  cell: OpenCell | null;
  inside: 'value' | 'formula' | null;
}

/** The cells of a worksheet by row, then column; those without value and formula are absent. */
export function readSheet(bytes: Uint8Array, strings: readonly string[], budget: TextBudget): readonly SheetCell[] {
  const state: State = {
    strings,
    budget,
    cells: [],
    shared: new Map(),
    inline: richText(),
    row: 0,
    column: 0,
    cell: null,
    inside: null,
  };
  readXml(bytes, {
    open: (name, attribute) => {
      opens.get(name)?.(state, attribute);
      state.inline.open(name);
    },
    close: (name) => {
      state.inline.close(name);
      closes.get(name)?.(state);
    },
    text: (text) => {
      readText(state, text);
      state.inline.text(text);
    },
  });
  return inOrder(state.cells);
}

const opens: ReadonlyMap<string, (state: State, attribute: Attributes) => void> = new Map([
  ['x:row', beginRow],
  ['x:c', beginCell],
  ['x:v', beginValue],
  ['x:f', beginFormula],
  ['x:is', beginInline],
]);

const closes: ReadonlyMap<string, (state: State) => void> = new Map([
  ['x:c', endCell],
  ['x:v', endText],
  ['x:f', endText],
  ['x:is', endInline],
]);

function beginRow(state: State, attribute: Attributes): void {
  const given = attribute('r');
  state.row = given === undefined ? state.row + 1 : Number(given);
  state.column = 0;
  state.budget.cells(1);
  if (!Number.isInteger(state.row) || state.row < 1) throw unreadable('a row of the sheet has no number');
}

/** Writers may leave addresses out: then a cell follows the one before. */
function beginCell(state: State, attribute: Attributes): void {
  const given = attribute('r');
  const at = given === undefined ? { row: state.row, column: state.column + 1 } : parseAddress(given);
  if (at === null || at.row !== state.row) throw unreadable('a cell of the sheet has no address');
  state.column = at.column;
  state.budget.cells(1);
  state.cell = {
    at,
    type: attribute('t') ?? 'n',
    hasValue: false,
    value: '',
    hasFormula: false,
    formula: '',
    shared: null,
  };
}

function beginValue(state: State): void {
  if (state.cell !== null) state.cell.hasValue = true;
  state.inside = 'value';
}

function beginFormula(state: State, attribute: Attributes): void {
  const { cell } = state;
  if (cell === null) return;
  // A data table is a formula that is not written down as one.
  cell.hasFormula = attribute('t') !== 'dataTable';
  cell.shared = attribute('t') === 'shared' ? (attribute('si') ?? null) : null;
  state.inside = 'formula';
}

function beginInline(state: State): void {
  state.inline.reset();
}

function endInline({ cell, inline }: State): void {
  if (cell === null || cell.type !== 'inlineStr') return;
  cell.hasValue = true;
  cell.value = inline.value();
}

function endText(state: State): void {
  state.inside = null;
}

function readText({ cell, inside }: State, text: string): void {
  if (cell === null) return;
  if (inside === 'value') cell.value += text;
  if (inside === 'formula') cell.formula += text;
}

function endCell(state: State): void {
  const { cell, budget, strings } = state;
  state.cell = null;
  if (cell === null) return;
  const formula = formulaOf(state, cell);
  const value = cell.hasValue ? storedValue(cell, strings) : null;
  if (value === null && formula === null) return;
  if (typeof value === 'string') budget.text(value);
  if (formula !== null) budget.text(formula);
  const isError = cell.type === 'e';
  state.cells.push({
    at: cell.at,
    cell: {
      address: formatAddress(cell.at),
      value: isError ? null : value,
      formula,
      error: isError && typeof value === 'string' ? value : null,
    },
  });
}

/** A shared formula is written once and moved to the other cells of its group. */
function formulaOf({ shared }: State, cell: OpenCell): string | null {
  if (!cell.hasFormula) return null;
  if (cell.shared === null) return cell.formula === '' ? null : `=${decodeEscapes(cell.formula)}`;
  if (cell.formula !== '') {
    const formula = decodeEscapes(cell.formula);
    shared.set(cell.shared, { at: cell.at, formula });
    return `=${formula}`;
  }
  const first = shared.get(cell.shared);
  if (first === undefined) throw unreadable('a shared formula of the sheet is missing');
  return `=${moveFormula(first.formula, cell.at.row - first.at.row, cell.at.column - first.at.column)}`;
}

function storedValue({ type, value }: OpenCell, strings: readonly string[]): string | number | boolean | null {
  switch (type) {
    case 's':
      return sharedString(value, strings);
    case 'str':
    case 'inlineStr':
      return decodeEscapes(value);
    case 'b':
      return toBoolean(value.trim());
    case 'n':
      return value.trim() === '' ? null : toNumber(value.trim());
    case 'd':
    case 'e':
      return value;
    default:
      throw unreadable('a cell of the sheet is of an unknown type');
  }
}

function sharedString(value: string, strings: readonly string[]): string {
  const text = /^\s*\d{1,9}\s*$/.test(value) ? strings[Number(value)] : undefined;
  if (text === undefined) throw unreadable('a cell of the sheet names no string');
  return text;
}

function toBoolean(value: string): boolean {
  if (value === '1' || value === 'true') return true;
  if (value === '0' || value === 'false') return false;
  throw unreadable('a cell of the sheet is no boolean');
}

function toNumber(value: string): number {
  const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isFinite(number)) throw unreadable('a cell of the sheet is no number');
  return number === 0 ? 0 : number;
}

function inOrder(cells: State['cells']): readonly SheetCell[] {
  const sorted = cells.toSorted(({ at: left }, { at: right }) => left.row - right.row || left.column - right.column);
  for (const [index, { at }] of sorted.entries()) {
    const before = sorted[index - 1]?.at;
    if (before?.row === at.row && before.column === at.column) throw unreadable('the sheet holds a cell twice');
  }
  return sorted.map(({ cell }) => cell);
}
