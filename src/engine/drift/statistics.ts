/**
 * What drift is judged from: plain JSON, so that it is stored, moved and judged again (docs/spec/background.md §6). Features
 * are lists, never maps by name: a feature may be called `__proto__`.
 */

/** A baseline as it was fitted, once, for one requirement of one Verifier version. */
export type BaselineFit =
  | { readonly method: 'Psi'; readonly features: readonly PsiFit[] }
  | { readonly method: 'Spc'; readonly features: readonly SpcFit[] };

/** Bins of one feature with their shares of the baseline. */
export type PsiFit = { readonly feature: string; readonly proportions: readonly number[] } & (
  | { readonly kind: 'numeric'; readonly edges: readonly number[] }
  /** Labels in byte order; one more share, 0, is of all others. */
  | { readonly kind: 'categorical'; readonly labels: readonly string[] }
);

export interface SpcFit {
  readonly feature: string;
  readonly x_bar: ControlLimits;
  readonly s: ControlLimits;
}

export interface ControlLimits {
  readonly center: number;
  readonly lower: number;
  readonly upper: number;
}

/** What a window holds of one feature. */
export type FeatureStatistics = { readonly feature: string; readonly values: number } & (
  | { readonly method: 'Psi'; readonly counts: readonly number[] }
  | {
      readonly method: 'Spc';
      readonly subgroups: number;
      readonly x_bar_signals: number;
      readonly s_signals: number;
      /** Values of a subgroup that the window ends in. */
      readonly left_over: number;
    }
  | { readonly method: 'Custom'; readonly sum: number }
);

/** What a window holds for one check. */
export interface WindowStatistics {
  /** Records that carry at least one feature of the check. */
  readonly records: number;
  /** Why nothing can be scored: a record lacks a feature or holds null; a text stands for a number, or the reverse. */
  readonly flaw: 'incomplete' | 'mismatch' | null;
  readonly features: readonly FeatureStatistics[];
}
