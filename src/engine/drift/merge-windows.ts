import { mergeCounts } from './psi.ts';
import type { FeatureStatistics, WindowStatistics } from './statistics.ts';

/**
 * What parts of a window hold together, for a check whose counts know no order: Psi (docs/spec/background.md §6.6). Sums
 * and subgroups are of the row order (§6.10) and are not merged.
 */
export function mergeWindows(parts: readonly WindowStatistics[]): WindowStatistics {
  return parts.reduce(mergeTwo, { records: 0, flaw: null, features: [] });
}

function mergeTwo(one: WindowStatistics, other: WindowStatistics): WindowStatistics {
  const flaws = [one.flaw, other.flaw];
  const worst = flaws.includes('mismatch') ? 'mismatch' : (flaws.find((flaw) => flaw !== null) ?? null);
  return {
    records: one.records + other.records,
    flaw: worst,
    features:
      one.features.length === 0
        ? other.features
        : one.features.map((feature, index) => mergeFeature(feature, other.features[index])),
  };
}

function mergeFeature(one: FeatureStatistics, other: FeatureStatistics | undefined): FeatureStatistics {
  if (other === undefined) return one;
  if (one.method !== 'Psi' || other.method !== 'Psi' || one.feature !== other.feature) {
    throw new Error('statistics that are not merged');
  }
  return { ...one, values: one.values + other.values, counts: mergeCounts(one.counts, other.counts) };
}
