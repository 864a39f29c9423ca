import type { DriftSpec } from '#contract/cards/drift.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import { psiScore } from './psi.ts';
import type { BaselineFit, FeatureStatistics, PsiFit, SpcFit, WindowStatistics } from './statistics.ts';
import { psiThreshold } from './thresholds.ts';

/** How a drift check came out (docs/spec/background.md §6.9). */
export interface DriftJudgment {
  readonly outcome: 'passed' | 'failed' | 'inconclusive';
  readonly reason: string;
  /** Null: there is nothing to report. */
  readonly report: JsonObject | null;
}

/** Fewer values of any feature score nothing. */
const fewestValues = 100;

interface Feature {
  readonly feature: string;
  readonly verdict: 'Drift' | 'NoDrift';
  readonly report: JsonObject;
}

/** Score, threshold and verdict of each feature, and of all of them. */
export function judgeDrift(spec: DriftSpec, fit: BaselineFit | null, window: WindowStatistics): DriftJudgment {
  if (window.records === 0) return { outcome: 'inconclusive', reason: 'the window holds no samples', report: null };
  if (window.flaw === 'mismatch') {
    return {
      outcome: 'inconclusive',
      reason: 'a sample is text where a number is measured, or the reverse',
      report: null,
    };
  }
  if (window.flaw === 'incomplete') return unscored(spec, 'a sample lacks a feature of the check, or holds no value');
  const problem = window.features.map((feature) => tooLittle(feature)).find((found) => found !== null);
  if (problem) return unscored(spec, problem);
  const features = window.features.map((statistics) => judgeFeature(spec, fit, statistics));
  const judged = features.filter((feature) => feature !== null);
  if (judged.length < features.length) {
    return { outcome: 'inconclusive', reason: 'the baseline of a feature is a single bin', report: null };
  }
  const drifted = judged.filter(({ verdict }) => verdict === 'Drift').length;
  return {
    outcome: drifted > 0 ? 'failed' : 'passed',
    reason: `${drifted} of ${judged.length} features drifted`,
    report: {
      method: spec.method,
      features: Object.fromEntries(judged.map(({ feature, report }) => [feature, report])),
      verdict: drifted > 0 ? 'Drift' : 'NoDrift',
    },
  };
}

function unscored({ method }: DriftSpec, reason: string): DriftJudgment {
  return { outcome: 'inconclusive', reason, report: { method, features: {}, verdict: 'Inconclusive' } };
}

function tooLittle(statistics: FeatureStatistics): string | null {
  if (statistics.method === 'Psi' && statistics.values < fewestValues) {
    return `the window holds fewer than ${fewestValues} values`;
  }
  if (statistics.method === 'Spc' && (statistics.left_over > 0 || statistics.subgroups === 0)) {
    return 'the window is no whole number of subgroups';
  }
  return null;
}

/** Null: its baseline gives no threshold. */
function judgeFeature(spec: DriftSpec, fit: BaselineFit | null, statistics: FeatureStatistics): Feature | null {
  if (spec.method === 'Psi' && statistics.method === 'Psi') {
    const own = fit?.method === 'Psi' ? fit.features.find(({ feature }) => feature === statistics.feature) : undefined;
    return own === undefined ? null : judgePsi(spec, own, statistics);
  }
  if (statistics.method === 'Spc') {
    const own = fit?.method === 'Spc' ? fit.features.find(({ feature }) => feature === statistics.feature) : undefined;
    return own === undefined || spec.method !== 'Spc' ? null : judgeSpc(own, spec.profile.sample_size, statistics);
  }
  if (spec.method !== 'Custom' || statistics.method !== 'Custom') return null;
  const { baseline_value, alert_threshold } = spec.profile;
  const score = Math.abs(statistics.sum / statistics.values - baseline_value);
  return featureOf(statistics.feature, score, alert_threshold, null);
}

type Of<Method extends FeatureStatistics['method']> = Extract<FeatureStatistics, { method: Method }>;

function judgePsi(spec: Extract<DriftSpec, { method: 'Psi' }>, fit: PsiFit, window: Of<'Psi'>): Feature | null {
  const threshold = psiThreshold(spec.profile.threshold, fit.proportions.length, window.values);
  if (threshold === null) return null;
  const bins = fit.proportions.map((proportion, id) => {
    const target_count = window.counts[id] ?? 0;
    return {
      bin: { id, ...boundsOf(fit, id), proportion },
      target_count,
      target_proportion: target_count / window.values,
    };
  });
  const evidence = { Psi: { sample: window.values, bins } };
  return featureOf(window.feature, psiScore(fit, window.counts, window.values), threshold, evidence);
}

/** Infinite edges by name; what a bin does not have is null. */
function boundsOf(fit: PsiFit, id: number): { lower: Json; upper: Json; categorical_value: Json } {
  if (fit.kind === 'categorical') return { lower: null, upper: null, categorical_value: fit.labels[id] ?? null };
  return { lower: fit.edges[id - 1] ?? '-inf', upper: fit.edges[id] ?? 'inf', categorical_value: null };
}

function judgeSpc(fit: SpcFit, size: number, window: Of<'Spc'>): Feature {
  const score = window.x_bar_signals + window.s_signals;
  const evidence = {
    Spc: {
      subgroup_size: size,
      subgroups: window.subgroups,
      x_bar: { ...fit.x_bar, signals: window.x_bar_signals },
      s: { ...fit.s, signals: window.s_signals },
    },
  };
  return featureOf(window.feature, score, 0, evidence);
}

function featureOf(feature: string, score: number, threshold: number, evidence: JsonObject | null): Feature {
  const verdict = score > threshold ? 'Drift' : 'NoDrift';
  return {
    feature,
    verdict,
    report: { feature, score, threshold, verdict, ...(evidence === null ? {} : { evidence }) },
  };
}
