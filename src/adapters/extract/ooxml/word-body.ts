import { type TextBudget, textBudget } from '../text-budget.ts';
import type { Attributes, XmlReader } from './read-xml.ts';

interface Paragraph {
  readonly kind: 'paragraph';
  text: string;
  style: string | null;
}

interface Table {
  readonly kind: 'table';
  readonly rows: string[][];
}

interface Cell {
  readonly table: Table;
  readonly paragraphs: Paragraph[];
  span: number;
  /** Lies below or beside the cell that holds the value. */
  covered: boolean;
}

interface State {
  readonly budget: TextBudget;
  readonly blocks: (Paragraph | Table)[];
  readonly paragraphs: Paragraph[];
  readonly tables: Table[];
  /** The cell of the outermost table; a table inside it has no cells of its own. */
  cell: Cell | null;
  /** Open elements from the one that is not read. */
  skipped: number;
  inText: boolean;
}

/**
 * Reads the body of a word processing document. What a tracked change deleted, moved away or replaced is not content; a
 * paragraph of a text box is a block of its own after its anchor; a table in a cell gives its text to that cell.
 */
export function bodyReader(): { readonly blocks: readonly (Paragraph | Table)[]; readonly reader: XmlReader } {
  const state: State = {
    budget: textBudget(),
    blocks: [],
    paragraphs: [],
    tables: [],
    cell: null,
    skipped: 0,
    inText: false,
  };
  return {
    blocks: state.blocks,
    reader: {
      open: (name, attribute) => {
        if (state.skipped > 0 || skippedElements.has(name)) state.skipped += 1;
        else opens.get(name)?.(state, attribute);
      },
      close: (name) => {
        if (state.skipped > 0) state.skipped -= 1;
        else closes.get(name)?.(state);
      },
      text: (text) => {
        if (state.inText && state.skipped === 0) write(state, text);
      },
    },
  };
}

/** `w:tabs` lists tab stops, whose elements have the name of a tab in text. */
const skippedElements: ReadonlySet<string> = new Set([
  'w:del',
  'w:moveFrom',
  'w:pPrChange',
  'w:rPrChange',
  'w:tblPrChange',
  'w:trPrChange',
  'w:tcPrChange',
  'w:tabs',
]);

const opens: ReadonlyMap<string, (state: State, attribute: Attributes) => void> = new Map([
  ['w:t', beginText],
  ['m:t', beginText],
  ['w:tab', (state: State) => write(state, '\t')],
  ['w:br', (state: State) => write(state, '\n')],
  ['w:cr', (state: State) => write(state, '\n')],
  ['w:noBreakHyphen', (state: State) => write(state, '-')],
  ['w:p', beginParagraph],
  ['w:pStyle', setStyle],
  ['w:tbl', beginTable],
  ['w:tr', beginRow],
  ['w:gridBefore', (state: State, attribute: Attributes) => addEmpty(state, toCount(attribute('w:val')))],
  ['w:tc', beginCell],
  ['w:gridSpan', setSpan],
  ['w:vMerge', setCovered],
  ['w:hMerge', setCovered],
]);

const closes: ReadonlyMap<string, (state: State) => void> = new Map([
  ['w:t', endText],
  ['m:t', endText],
  ['w:p', (state: State) => void state.paragraphs.pop()],
  ['w:tc', endCell],
  ['w:tbl', (state: State) => void state.tables.pop()],
]);

function beginText(state: State): void {
  state.inText = true;
}

function endText(state: State): void {
  state.inText = false;
}

function write(state: State, text: string): void {
  const paragraph = state.paragraphs.at(-1);
  if (paragraph === undefined) return;
  state.budget.text(text);
  paragraph.text += text;
}

function beginParagraph({ budget, paragraphs, blocks, cell }: State): void {
  const paragraph: Paragraph = { kind: 'paragraph', text: '', style: null };
  budget.cells(1);
  paragraphs.push(paragraph);
  (cell?.paragraphs ?? blocks).push(paragraph);
}

function setStyle({ paragraphs }: State, attribute: Attributes): void {
  const paragraph = paragraphs.at(-1);
  if (paragraph !== undefined) paragraph.style = attribute('w:val') ?? null;
}

function beginTable({ tables, blocks, cell }: State): void {
  const table: Table = { kind: 'table', rows: [] };
  tables.push(table);
  if (cell === null) blocks.push(table);
}

function beginRow({ budget, tables, cell }: State): void {
  budget.cells(1);
  if (cell === null) tables.at(-1)?.rows.push([]);
}

function beginCell(state: State): void {
  const table = state.tables.at(-1);
  if (state.cell === null && table !== undefined) state.cell = { table, span: 1, covered: false, paragraphs: [] };
}

function setSpan({ cell, tables }: State, attribute: Attributes): void {
  if (cell !== null && cell.table === tables.at(-1)) cell.span = Math.max(1, toCount(attribute('w:val')));
}

function setCovered({ cell, tables }: State, attribute: Attributes): void {
  if (cell !== null && cell.table === tables.at(-1) && attribute('w:val') !== 'restart') cell.covered = true;
}

function endCell(state: State): void {
  const { cell, tables } = state;
  if (cell === null || cell.table !== tables.at(-1)) return;
  state.cell = null;
  const text = cell.covered ? '' : cell.paragraphs.map((paragraph) => paragraph.text).join('\n');
  state.budget.cells(1);
  cell.table.rows.at(-1)?.push(text);
  addEmpty(state, cell.span - 1);
}

/** Places of the row that hold nothing of their own: covered by a merged cell, or left out before its first. */
function addEmpty({ budget, tables, cell }: State, count: number): void {
  if (cell !== null) return;
  budget.cells(count);
  const row = tables.at(-1)?.rows.at(-1);
  for (let index = 0; index < count; index += 1) row?.push('');
}

function toCount(text: string | undefined): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
