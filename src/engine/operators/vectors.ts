/**
 * Divergences and cosine of docs/spec/verification.md §7.3. Vectors are taken as given, not normalised, and summed from
 * left to right. `Math.log` and `Math.sqrt` are the runtime's: a result within 1e-12 of a threshold is platform-sensitive.
 */
const epsilon = 1e-12;

export type Metric = 'kl' | 'js' | 'wasserstein';

export function divergence(metric: Metric, p: readonly number[], q: readonly number[]): number {
  switch (metric) {
    case 'kl':
      return kullbackLeibler(p, q);
    case 'js': {
      const middle = p.map((value, index) => 0.5 * (value + at(q, index)));
      return 0.5 * kullbackLeibler(p, middle) + 0.5 * kullbackLeibler(q, middle);
    }
    case 'wasserstein':
      return wasserstein(p, q);
  }
}

/** 0 when a norm is zero, two empty vectors included. */
export function cosine(p: readonly number[], q: readonly number[]): number {
  let product = 0;
  let left = 0;
  let right = 0;
  for (let index = 0; index < p.length; index += 1) {
    product += at(p, index) * at(q, index);
    left += at(p, index) * at(p, index);
    right += at(q, index) * at(q, index);
  }
  const norms = Math.sqrt(left) * Math.sqrt(right);
  return norms === 0 ? 0 : product / norms;
}

function kullbackLeibler(p: readonly number[], q: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < p.length; index += 1) {
    const left = at(p, index) + epsilon;
    sum += left * Math.log(left / (at(q, index) + epsilon));
  }
  return sum;
}

function wasserstein(p: readonly number[], q: readonly number[]): number {
  let left = 0;
  let right = 0;
  let sum = 0;
  for (let index = 0; index < p.length; index += 1) {
    left += at(p, index);
    right += at(q, index);
    sum += Math.abs(left - right);
  }
  return sum;
}

function at(vector: readonly number[], index: number): number {
  return vector[index] ?? 0;
}
