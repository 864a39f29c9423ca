import { overLimit } from './archive/archive-limits.ts';

/** Limits of extracted text and of cells (docs/spec/verification.md §4.3). */
const maxTextBytes = 10 * 1024 * 1024;
const maxCells = 1_000_000;

/** Counts what was extracted while it is extracted, so that a document above a limit ends at the limit. */
export interface TextBudget {
  readonly text: (text: string) => void;
  readonly cells: (count: number) => void;
}

export function textBudget(): TextBudget {
  let text = 0;
  let cells = 0;
  return {
    text: (value) => {
      text += Buffer.byteLength(value);
      if (text > maxTextBytes) throw overLimit('the document has over 10 MiB of text');
    },
    cells: (count) => {
      cells += count;
      if (!(cells <= maxCells)) throw overLimit('the document has over 1,000,000 cells');
    },
  };
}
