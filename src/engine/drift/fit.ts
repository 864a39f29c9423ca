import { binOf, equalWidthEdges, quantileEdges, sharesOf } from './psi.ts';
import { controlLimits, subgroups } from './spc.ts';
import type { PsiFit, SpcFit } from './statistics.ts';

/** Fits one feature from values that come in parts; `fit` after the last one (docs/spec/background.md §6.6, §6.7). */
export interface Fitting<Fit> {
  readonly push: (value: number) => void;
  readonly fit: () => Fit;
}

/** The first pass over a column of equal-width bins: its ends. */
export function rangeOf(): Fitting<{ readonly least: number; readonly greatest: number }> {
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  return {
    push(value) {
      if (value < least) least = value;
      if (value > greatest) greatest = value;
    },
    fit: () => ({ least, greatest }),
  };
}

/** The second pass: how many values each bin has. */
export function countsIn(feature: string, edges: readonly number[]): Fitting<PsiFit> {
  const counts = Array.from({ length: edges.length + 1 }, () => 0);
  return {
    push(value) {
      const bin = binOf(edges, value);
      counts[bin] = (counts[bin] ?? 0) + 1;
    },
    fit: () => ({ feature, kind: 'numeric', edges, proportions: sharesOf(counts) }),
  };
}

export function equalWidth(
  feature: string,
  bins: number,
  range: { readonly least: number; readonly greatest: number },
): Fitting<PsiFit> {
  return countsIn(feature, equalWidthEdges(range.least, range.greatest, bins));
}

/** Sorts the values in place. */
export function quantileFit(feature: string, bins: number, values: Float64Array): PsiFit {
  values.sort();
  const counting = countsIn(feature, quantileEdges(values, bins));
  for (const value of values) counting.push(value);
  return counting.fit();
}

/** Labels in the order of their UTF-8 bytes, then one bin of all others. */
export function categoricalFit(
  feature: string,
  counts: ReadonlyMap<string, number>,
  compare: (left: string, right: string) => number,
): PsiFit {
  const labels = [...counts.keys()].sort(compare);
  const shares = sharesOf(labels.map((label) => counts.get(label) ?? 0));
  return { feature, kind: 'categorical', labels, proportions: [...shares, 0] };
}

/** Fewer whole subgroups say too little about a process. */
const fewestSubgroups = 20;

export type SpcProblem = 'rows' | 'subgroups';

/** A word of what is wrong, or the limits. */
export function spcFitting(feature: string, size: number): Fitting<SpcFit | SpcProblem> {
  const groups = subgroups(size);
  let count = 0;
  let means = 0;
  let deviations = 0;
  return {
    push(value) {
      const group = groups.push(value);
      if (group === null) return;
      count += 1;
      means += group.mean;
      deviations += group.deviation;
    },
    fit() {
      if (groups.leftOver() > 0) return 'rows';
      if (count < fewestSubgroups) return 'subgroups';
      return controlLimits(feature, size, { count, means, deviations });
    },
  };
}
