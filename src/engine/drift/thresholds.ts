import chiSquareQuantile from '@stdlib/stats-base-dists-chisquare-quantile';
import normalQuantile from '@stdlib/stats-base-dists-normal-quantile';
import type { DriftSpec } from '#contract/cards/drift.ts';

type PsiThreshold = Extract<DriftSpec, { method: 'Psi' }>['profile']['threshold'];

/** The score above which a feature drifts; null with fewer than two bins (docs/spec/background.md §6.6). */
export function psiThreshold(threshold: PsiThreshold, bins: number, values: number): number | null {
  if (bins < 2) return null;
  const degrees = bins - 1;
  switch (threshold.kind) {
    case 'Fixed':
      return threshold.value;
    case 'ChiSquare':
      return chiSquareQuantile(1 - threshold.alpha, degrees) / values;
    case 'Normal':
      return degrees / values + (normalQuantile(1 - threshold.alpha, 0, 1) * Math.sqrt(2 * degrees)) / values;
  }
}
