import logGamma from '@stdlib/math-base-special-gammaln';
import type { SpcFit } from './statistics.ts';

/** Means and standard deviations (n − 1) of subgroups of `size` consecutive values, as they come. */
export interface Subgroups {
  readonly push: (value: number) => { readonly mean: number; readonly deviation: number } | null;
  /** Values since the last whole subgroup. */
  readonly leftOver: () => number;
}

export function subgroups(size: number): Subgroups {
  let held: number[] = [];
  return {
    push(value) {
      held.push(value);
      if (held.length < size) return null;
      const group = held;
      held = [];
      const mean = sum(group) / size;
      const squares = group.reduce((total, one) => total + (one - mean) * (one - mean), 0);
      return { mean, deviation: Math.sqrt(squares / (size - 1)) };
    },
    leftOver: () => held.length,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** √(2/(n−1))·Γ(n/2)/Γ((n−1)/2): the bias of a standard deviation of n values. */
function biasOf(size: number): number {
  return Math.sqrt(2 / (size - 1)) * Math.exp(logGamma(size / 2) - logGamma((size - 1) / 2));
}

/** Limits of both charts, from sums over whole subgroups (docs/spec/background.md §6.7). */
export function controlLimits(
  feature: string,
  size: number,
  totals: { readonly count: number; readonly means: number; readonly deviations: number },
): SpcFit {
  const mean = totals.means / totals.count;
  const deviation = totals.deviations / totals.count;
  const c4 = biasOf(size);
  const reach = (3 * deviation) / (c4 * Math.sqrt(size));
  const k = (3 * Math.sqrt(1 - c4 * c4)) / c4;
  return {
    feature,
    x_bar: { center: mean, lower: mean - reach, upper: mean + reach },
    s: { center: deviation, lower: Math.max(0, deviation * (1 - k)), upper: deviation * (1 + k) },
  };
}

/** Strictly outside. */
export function isSignal(value: number, { lower, upper }: { readonly lower: number; readonly upper: number }): boolean {
  return value < lower || value > upper;
}
