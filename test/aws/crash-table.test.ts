import { describe, it } from 'vitest';
import { fit } from '#test/support/crash-scenes/baseline.ts';
import { growingGroup, quietGroups } from '#test/support/crash-scenes/group.ts';
import { submission } from '#test/support/crash-scenes/submission.ts';
import { lostWork } from '#test/support/crash-scenes/sweep.ts';
import { type CrashRow, expectRow } from '#test/support/crash-table.ts';

/**
 * The crash table of docs/spec/background.md §11 on the AWS stores. Row 14: large-declarations; row 15: restore; row 17: faults.
 * Embedded: test/faults, where processes are killed.
 */
const table: readonly CrashRow[] = [
  {
    rows: [1, 2, 3, 4, 6, 7, 8, 9],
    killed: 'from a submission to its deliveries',
    scene: submission,
  },
  { rows: [5], killed: 'while a judge is asked', scene: submission, inJudge: true },
  { rows: [10], killed: 'in a sweep that finds lost work', scene: lostWork },
  { rows: [10, 16], killed: 'in a sweep beside another', scene: lostWork, beside: true },
  { rows: [10, 11], killed: 'in a sweep that judges quiet groups', scene: quietGroups },
  { rows: [11, 16], killed: 'in one of two sweeps that judge quiet groups', scene: quietGroups, beside: true },
  { rows: [12], killed: 'in a sweep while evidence arrives', scene: growingGroup },
  { rows: [13], killed: 'while it fits a baseline', scene: fit },
  { rows: [13, 16], killed: 'while it fits a baseline beside another', scene: fit, beside: true },
];

describe('the crash table', () => {
  it.each(table)('rows $rows: killed $killed', { timeout: 400_000 }, (row) => expectRow(row));
});
