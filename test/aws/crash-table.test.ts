import { describe, it } from 'vitest';
import { submission } from '#test/support/crash-scenes/submission.ts';
import { type CrashRow, expectRow } from '#test/support/crash-table.ts';

/** The crash table of docs/spec/background.md §11 on the AWS stores. Row 14: large-declarations; row 17: faults. */
const table: readonly CrashRow[] = [
  {
    rows: [1, 2, 3, 4, 6, 7, 8, 9],
    killed: 'from a submission to its deliveries',
    scene: submission,
  },
  { rows: [5], killed: 'while a judge is asked', scene: submission, inJudge: true },
];

describe('the crash table', () => {
  it.each(table)('rows $rows: killed $killed', { timeout: 400_000 }, (row) => expectRow(row));
});
