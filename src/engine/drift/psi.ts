import type { PsiFit } from './statistics.ts';

/** Edges closer than this are one (docs/spec/background.md §6.6). */
const closest = 2 ** -52;

/** Inner edges of equal width between the least and the greatest value; none when they are the same. */
export function equalWidthEdges(least: number, greatest: number, bins: number): readonly number[] {
  if (Math.abs(greatest - least) <= closest) return [];
  const width = (greatest - least) / bins;
  return Array.from({ length: bins - 1 }, (_unused, index) => least + width * (index + 1));
}

/** Inner edges by quantiles, Hyndman-Fan 7, over values in ascending order; neighbours that are too close are one. */
export function quantileEdges(sorted: ArrayLike<number>, bins: number): readonly number[] {
  const edges: number[] = [];
  for (let bin = 1; bin < bins; bin += 1) {
    const edge = quantile(sorted, bin / bins);
    const last = edges.at(-1);
    // Rounding may put an edge just below the one before it, and edges must ascend.
    if (last === undefined || edge - last > closest) edges.push(edge);
  }
  return edges;
}

function quantile(sorted: ArrayLike<number>, p: number): number {
  const count = sorted.length;
  const t = count * p + 1 - p;
  const j = Math.floor(t);
  const h = t - j;
  // Rounding may put t just below 1.
  const at = (position: number) => sorted[Math.max(1, Math.min(position, count)) - 1] ?? Number.NaN;
  const [low, high] = [at(j), at(j + 1)];
  // Equal neighbours are their own mean, which rounding would miss for large values.
  return low === high ? low : (1 - h) * low + h * high;
}

/** The bin of a value: `(edge, next edge]`, the first open to the left, the last to the right. */
export function binOf(edges: readonly number[], value: number): number {
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (value <= (edges[middle] ?? Number.POSITIVE_INFINITY)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The bin of a label; every other label is in the last one. */
export function labelBinOf(labels: readonly string[]): (label: string) => number {
  const positions = new Map(labels.map((label, position) => [label, position]));
  return (label) => positions.get(label) ?? labels.length;
}

export function sharesOf(counts: readonly number[]): readonly number[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => count / total);
}

const epsilon = 1e-10;

/** The population stability index of a window against its baseline, summed in the order of the bins. */
export function psiScore(
  { proportions }: Pick<PsiFit, 'proportions'>,
  counts: readonly number[],
  values: number,
): number {
  let score = 0;
  for (const [position, p] of proportions.entries()) {
    const q = (counts[position] ?? 0) / values;
    score += (p + epsilon - (q + epsilon)) * Math.log((p + epsilon) / (q + epsilon));
  }
  return score;
}

/** Counts of two parts of a window are the counts of both: what a window holds may be counted in parts (§6.10). */
export function mergeCounts(left: readonly number[], right: readonly number[]): readonly number[] {
  return left.map((count, position) => count + (right[position] ?? 0));
}
