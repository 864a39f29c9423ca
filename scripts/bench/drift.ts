import type { DriftSpec } from '#contract/cards/drift.ts';
import { quantileFit } from '#engine/drift/fit.ts';
import { foldWindow } from '#engine/drift/fold-window.ts';
import { judgeDrift } from '#engine/drift/report.ts';

export const driftOf: DriftSpec = {
  method: 'Psi',
  signal: {
    kind: 'Distribution',
    baseline_ref: { kind: 'Data', name: 'rows', version: '1.0.0' },
    features: ['latency'],
  },
  profile: {
    kind: 'Psi',
    binning_strategy: { kind: 'Quantile', n_bins: 10 },
    threshold: { kind: 'Fixed', value: 0.25 },
  },
};

export const fitOf = {
  method: 'Psi' as const,
  features: [
    quantileFit(
      'latency',
      10,
      Float64Array.from({ length: 10_000 }, (_none, index) => index),
    ),
  ],
};

/** A PSI feature of so many values: folded one by one as a window streams them, and judged. */
export function psiOf(values: number): string {
  const fold = foldWindow(driftOf, fitOf);
  for (let index = 0; index < values; index += 1) fold.add(new Map([['latency', (index * 7_919) % 10_000]]));
  return judgeDrift(driftOf, fitOf, fold.statistics()).outcome;
}
