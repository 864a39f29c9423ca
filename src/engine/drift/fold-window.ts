import type { DriftSpec } from '#contract/cards/drift.ts';
import { binOf, labelBinOf } from './psi.ts';
import { isSignal, subgroups } from './spc.ts';
import type { BaselineFit, FeatureStatistics, PsiFit, SpcFit, WindowStatistics } from './statistics.ts';

/** A record's values of the features of a check; what it does not carry is absent. */
export type FeatureValues = ReadonlyMap<string, number | string | null>;

export interface WindowFold {
  /** In row order. Keeps counts only: a window may hold a million rows. */
  add(values: FeatureValues): void;
  statistics(): WindowStatistics;
}

/** Folds a window for one check (docs/spec/background.md §6.3, §6.4); `fit` is its baseline, null for Custom. */
export function foldWindow(spec: DriftSpec, fit: BaselineFit | null): WindowFold {
  const features = featureFolds(spec, fit);
  let records = 0;
  let flaw: WindowStatistics['flaw'] = null;
  const note = (found: NonNullable<WindowStatistics['flaw']>) => {
    // A text for a number says more than a gap does.
    if (flaw !== 'mismatch') flaw = found;
  };
  return {
    add(values) {
      records += 1;
      for (const { feature, wants, push } of features) {
        const value = values.get(feature);
        if (value === undefined || value === null) note('incomplete');
        else if (typeof value !== wants) note('mismatch');
        else if (typeof value === 'number' && !Number.isFinite(value)) note('incomplete');
        else push(value as never);
      }
    },
    statistics: () => ({ records, flaw, features: features.map(({ statistics }) => statistics()) }),
  };
}

interface FeatureFold {
  readonly feature: string;
  readonly wants: 'number' | 'string';
  readonly push: (value: never) => void;
  readonly statistics: () => FeatureStatistics;
}

function featureFolds(spec: DriftSpec, fit: BaselineFit | null): readonly FeatureFold[] {
  if (spec.method === 'Custom') return [customFold(spec.signal.name)];
  if (fit?.method === 'Psi') return fit.features.map(psiFold);
  if (fit?.method === 'Spc' && spec.method === 'Spc') {
    return fit.features.map((feature) => spcFold(feature, spec.profile.sample_size));
  }
  return [];
}

function psiFold(fit: PsiFit): FeatureFold {
  const counts = fit.proportions.map(() => 0);
  let values = 0;
  const count = (bin: number) => {
    counts[bin] = (counts[bin] ?? 0) + 1;
    values += 1;
  };
  const statistics = () => ({ feature: fit.feature, method: 'Psi', values, counts: [...counts] }) as const;
  if (fit.kind === 'categorical') {
    const bin = labelBinOf(fit.labels);
    return { feature: fit.feature, wants: 'string', push: (label: string) => count(bin(label)), statistics };
  }
  const { edges } = fit;
  return { feature: fit.feature, wants: 'number', push: (value: number) => count(binOf(edges, value)), statistics };
}

function spcFold({ feature, x_bar, s }: SpcFit, size: number): FeatureFold {
  const groups = subgroups(size);
  let values = 0;
  let whole = 0;
  let meanSignals = 0;
  let deviationSignals = 0;
  return {
    feature,
    wants: 'number',
    push(value: number) {
      values += 1;
      const group = groups.push(value);
      if (group === null) return;
      whole += 1;
      if (isSignal(group.mean, x_bar)) meanSignals += 1;
      if (isSignal(group.deviation, s)) deviationSignals += 1;
    },
    statistics: () => ({
      feature,
      method: 'Spc',
      values,
      subgroups: whole,
      x_bar_signals: meanSignals,
      s_signals: deviationSignals,
      left_over: groups.leftOver(),
    }),
  };
}

/** Plain doubles in row order, so that every host adds to the same bits (§6.10). */
function customFold(feature: string): FeatureFold {
  let values = 0;
  let total = 0;
  return {
    feature,
    wants: 'number',
    push(value: number) {
      values += 1;
      total += value;
    },
    statistics: () => ({ feature, method: 'Custom', values, sum: total }),
  };
}
