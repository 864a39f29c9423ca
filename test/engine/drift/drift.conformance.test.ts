import { describe, expect, it } from 'vitest';
import { parquetFiles } from '#adapters/parquet/read-parquet.ts';
import type { DriftSpec } from '#contract/cards/drift.ts';
import type { JsonObject } from '#contract/json.ts';
import { foldWindow } from '#engine/drift/fold-window.ts';
import { judgeDrift } from '#engine/drift/report.ts';
import type { BaselineFit } from '#engine/drift/statistics.ts';
import { fitTable } from '#service/drift/fit-table.ts';
import { columnOf, type DriftCase, driftCases, parquetOf } from '#test/support/drift-case.ts';
import { expectClose } from '#test/support/expect-close.ts';

const cases = driftCases().filter(({ given }) => given.check !== undefined && given.window === undefined);

describe('conformance of drift statistics, baselines read from real Parquet files', () => {
  it('the cases are there', () => expect(cases.length).toBeGreaterThanOrEqual(27));

  it.each(cases.map((one) => [one.id, one.title, one] as const))('%s: %s', async (_id, _title, one) => {
    const spec = specOf(one);
    const fit = await fitOf(one, spec);
    if (fit === 'refused' || one.given.target === undefined) return;
    const { outcome, report } = judgeDrift(spec, fit, statisticsOf(one, spec, fit));
    expect(outcome).toBe(one.expect.outcome);
    if (one.expect.report !== undefined) expectClose(report, one.expect.report, 'report');
  });
});

function specOf({ given: { check } }: DriftCase): DriftSpec {
  const { method, signal, profile } = check as JsonObject;
  return { method, signal, profile } as unknown as DriftSpec;
}

async function fitOf({ given, expect: { fit } }: DriftCase, spec: DriftSpec): Promise<BaselineFit | null | 'refused'> {
  if (spec.method === 'Custom') return null;
  await using table = await parquetFiles.open(parquetOf(given.baseline ?? {}));
  if (table === null) throw new Error('no Parquet file');
  if (typeof fit !== 'object') return await fitTable(spec, table);
  await expect(fitTable(spec, table)).rejects.toThrow(fit.failed);
  return 'refused';
}

function statisticsOf({ given: { target = {} } }: DriftCase, spec: DriftSpec, fit: BaselineFit | null) {
  const columns = Object.entries(target).map(([feature, column]) => [feature, columnOf(column)] as const);
  const rows = Math.max(0, ...columns.map(([, column]) => column.length));
  const fold = foldWindow(spec, fit);
  for (let row = 0; row < rows; row += 1)
    fold.add(new Map(columns.map(([name, column]) => [name, column[row] ?? null])));
  return fold.statistics();
}
