import type { DriftSpec } from '#contract/cards/drift.ts';
import { categoricalFit, equalWidth, quantileFit, rangeOf, spcFitting } from '#engine/drift/fit.ts';
import type { BaselineFit, PsiFit, SpcFit } from '#engine/drift/statistics.ts';
import { compareBytes } from '#engine/values/canonical.ts';
import type { ColumnValue, ParquetTable } from '../ports/parquet.ts';

/** Why a baseline cannot be fitted; shown, so it names columns and never values. */
export class UnfitBaseline extends Error {
  override readonly name = 'UnfitBaseline';
}

type Fitted = Extract<DriftSpec, { method: 'Psi' | 'Spc' }>;

const mostRows = 50_000_000;
/** Labels of one categorical feature. */
const mostLabels = 100_000;

/** Fits every feature of a check (docs/spec/background.md §6.5). Throws an UnfitBaseline. */
export async function fitTable(spec: Fitted, table: ParquetTable): Promise<BaselineFit> {
  if (table.rows === 0) throw new UnfitBaseline('the baseline has no rows');
  if (table.rows > mostRows) throw new UnfitBaseline(`the baseline has more than ${mostRows} rows`);
  const { features } = spec.signal;
  const missing = features.find((feature) => !table.columns.includes(feature));
  if (missing !== undefined) throw new UnfitBaseline(`the baseline has no column ${missing}`);
  if (spec.method === 'Spc') {
    const fits: SpcFit[] = [];
    for (const feature of features) fits.push(await fitSpc(table, feature, spec.profile.sample_size));
    return { method: 'Spc', features: fits };
  }
  const fits: PsiFit[] = [];
  for (const feature of features) fits.push(await fitPsi(table, feature, spec.profile));
  return { method: 'Psi', features: fits };
}

async function fitSpc(table: ParquetTable, feature: string, size: number): Promise<SpcFit> {
  const fitting = spcFitting(feature, size);
  await eachNumber(table, feature, fitting.push);
  const fit = fitting.fit();
  if (fit === 'rows') throw new UnfitBaseline(`the rows of ${feature} are no whole number of subgroups`);
  if (fit === 'subgroups') throw new UnfitBaseline(`${feature} has fewer than 20 subgroups`);
  return fit;
}

async function fitPsi(
  table: ParquetTable,
  feature: string,
  { binning_strategy: { kind, n_bins }, categorical_features = [] }: Extract<Fitted, { method: 'Psi' }>['profile'],
): Promise<PsiFit> {
  if (categorical_features.includes(feature)) return fitLabels(table, feature);
  if (kind === 'Quantile') {
    const values = new Float64Array(table.rows);
    let position = 0;
    await eachNumber(table, feature, (value) => {
      values[position] = value;
      position += 1;
    });
    return quantileFit(feature, n_bins, values.subarray(0, position));
  }
  // Ends first, counts after: the column is never held.
  const range = rangeOf();
  await eachNumber(table, feature, range.push);
  const fitting = equalWidth(feature, n_bins, range.fit());
  await eachNumber(table, feature, fitting.push);
  return fitting.fit();
}

async function fitLabels(table: ParquetTable, feature: string): Promise<PsiFit> {
  const counts = new Map<string, number>();
  for await (const values of table.column(feature)) {
    for (const value of values) {
      if (value === null) throw new UnfitBaseline(`${feature} holds a null`);
      if (typeof value !== 'string') throw new UnfitBaseline(`${feature} holds what is no text`);
      counts.set(value, (counts.get(value) ?? 0) + 1);
      if (counts.size > mostLabels) throw new UnfitBaseline(`${feature} has more than ${mostLabels} labels`);
    }
  }
  return categoricalFit(feature, counts, compareBytes);
}

async function eachNumber(table: ParquetTable, feature: string, push: (value: number) => void): Promise<void> {
  for await (const values of table.column(feature)) {
    for (const value of values) push(numberOf(value, feature));
  }
}

function numberOf(value: ColumnValue, feature: string): number {
  if (value === null) throw new UnfitBaseline(`${feature} holds a null`);
  if (typeof value !== 'number') throw new UnfitBaseline(`${feature} holds what is no number`);
  if (!Number.isFinite(value)) throw new UnfitBaseline(`${feature} holds a number that is not finite`);
  return value;
}
