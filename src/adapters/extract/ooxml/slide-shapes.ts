import type { TextBudget } from '../text-budget.ts';
import { type Attributes, readXml } from './read-xml.ts';

/** The text of one slide, by where it stands. */
export interface SlideText {
  readonly title: string | null;
  /** Of all shapes but the title, in the order of the slide; empty ones left out. */
  readonly paragraphs: readonly string[];
  readonly tables: readonly { readonly rows: readonly (readonly string[])[] }[];
  /** Paragraphs of body placeholders: what the notes page of a slide is read for. */
  readonly body: readonly string[];
}

interface State {
  readonly budget: TextBudget;
  readonly title: string[];
  hasTitle: boolean;
  readonly paragraphs: string[];
  readonly body: string[];
  readonly tables: { readonly rows: string[][] }[];
  /** Placeholder type of the open shape; null in a shape that is none. */
  placeholder: string | null;
  /** A cell of the open table; its place may be covered by a merged cell. */
  cell: { readonly lines: string[]; readonly covered: boolean } | null;
  paragraph: string | null;
  inText: boolean;
}

/** Reads the shapes of a slide or of a notes page (ECMA-376 part 1 §19, §21). */
export function readSlide(bytes: Uint8Array, budget: TextBudget): SlideText {
  const state: State = {
    budget,
    title: [],
    hasTitle: false,
    paragraphs: [],
    body: [],
    tables: [],
    placeholder: null,
    cell: null,
    paragraph: null,
    inText: false,
  };
  readXml(bytes, {
    open: (name, attribute) => opens.get(name)?.(state, attribute),
    close: (name) => closes.get(name)?.(state),
    text: (text) => {
      if (state.inText) write(state, text);
    },
  });
  const title = state.title.join('\n');
  return {
    title: title === '' ? null : title,
    paragraphs: state.paragraphs,
    tables: state.tables,
    body: state.body,
  };
}

const titles: ReadonlySet<string> = new Set(['title', 'ctrTitle']);

const opens: ReadonlyMap<string, (state: State, attribute: Attributes) => void> = new Map([
  ['p:sp', endShape],
  ['p:ph', beginPlaceholder],
  ['a:tbl', (state: State) => void state.tables.push({ rows: [] })],
  ['a:tr', beginRow],
  ['a:tc', beginCell],
  ['a:p', beginParagraph],
  ['a:t', beginText],
  ['m:t', beginText],
  ['a:br', (state: State) => write(state, '\n')],
]);

const closes: ReadonlyMap<string, (state: State) => void> = new Map([
  ['p:sp', endShape],
  ['a:tc', endCell],
  ['a:p', endParagraph],
  ['a:t', endText],
  ['m:t', endText],
]);

function endShape(state: State): void {
  if (state.placeholder !== null && titles.has(state.placeholder) && state.title.length > 0) state.hasTitle = true;
  state.placeholder = null;
}

/** A placeholder without a type is an object; a second title is text like any other. */
function beginPlaceholder(state: State, attribute: Attributes): void {
  state.placeholder = attribute('type') ?? 'obj';
}

function beginRow({ budget, tables }: State): void {
  budget.cells(1);
  tables.at(-1)?.rows.push([]);
}

/** Unlike in a word processor, a covered place has a cell of its own, which says so. */
function beginCell(state: State, attribute: Attributes): void {
  const covered = [attribute('hMerge'), attribute('vMerge')].some((value) => value === '1' || value === 'true');
  state.budget.cells(1);
  state.cell = { lines: [], covered };
}

function endCell(state: State): void {
  const { cell, tables } = state;
  state.cell = null;
  if (cell !== null)
    tables
      .at(-1)
      ?.rows.at(-1)
      ?.push(cell.covered ? '' : cell.lines.join('\n'));
}

function beginParagraph(state: State): void {
  state.budget.cells(1);
  state.paragraph = '';
}

function endParagraph(state: State): void {
  const { paragraph, cell, placeholder } = state;
  state.paragraph = null;
  if (paragraph === null) return;
  if (cell !== null) {
    cell.lines.push(paragraph);
    return;
  }
  if (placeholder === 'body') state.body.push(paragraph);
  if (paragraph === '') return;
  const isTitle = placeholder !== null && titles.has(placeholder) && !state.hasTitle;
  (isTitle ? state.title : state.paragraphs).push(paragraph);
}

function beginText(state: State): void {
  state.inText = true;
}

function endText(state: State): void {
  state.inText = false;
}

function write(state: State, text: string): void {
  if (state.paragraph === null) return;
  state.budget.text(text);
  state.paragraph += text;
}
