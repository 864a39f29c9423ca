import { toCardRef } from '#contract/cards/reference.ts';
import type { AuthoredCheck } from '#contract/cards/verifier.ts';
import type { ErrorCode } from '#contract/errors.ts';
import { type Context, report, resolveCard, toReference, wholeSlot } from '../context.ts';

export type DriftCheck = Extract<AuthoredCheck, { kind: 'drift' }>;

type Problem = readonly [field: string, message: string, code?: ErrorCode];

/** Slot, features, then the drift spec itself (docs/spec/background.md §6.2; verification.md §14.3). */
export function checkDrift(context: Context, check: DriftCheck, path: string): void {
  const slot = context.slots.get(wholeSlot(toReference(check.on)) ?? '');
  if (typeof slot !== 'object' || slot.type !== 'samples') {
    report(context, 'drift_source', path, '`on` is one whole samples slot');
  } else {
    const foreign = measuredFeatures(check).filter((feature) => !slot.features.includes(feature));
    if (foreign.length > 0) report(context, 'drift_features', path, 'a feature that the slot does not measure');
  }
  for (const [field, message, code = 'WYRD_DRIFT_400_VALIDATION'] of specProblems(check)) {
    context.findings.push({ code, rule: 'drift', path, message: `${field}: ${message}`, details: { field } });
  }
  if (check.signal.kind === 'Distribution' && toCardRef(check.signal.baseline_ref)?.kind === 'Data') {
    resolveCard(context, check.signal.baseline_ref, path);
  }
}

function measuredFeatures({ signal }: DriftCheck): readonly string[] {
  return signal.kind === 'Distribution' ? signal.features : [signal.name];
}

function specProblems(check: DriftCheck): readonly Problem[] {
  const wanted = check.method === 'Custom' ? 'Metric' : 'Distribution';
  if (check.signal.kind !== wanted) {
    return [['signal', `${check.method} takes a ${wanted} signal`, 'WYRD_DRIFT_400_SIGNAL_METHOD_MISMATCH']];
  }
  const profile = profileProblems(check);
  return [...signalProblems(check), ...conditionProblems(check), ...profile];
}

function signalProblems({ signal }: DriftCheck): readonly Problem[] {
  if (signal.kind === 'Metric') return signal.name === '' ? [['signal.name', 'empty']] : [];
  const problems: Problem[] = [];
  const kind = toCardRef(signal.baseline_ref)?.kind;
  if (kind !== undefined && kind !== 'Data') problems.push(['signal.baseline_ref.kind', `a ${kind} is no baseline`]);
  if (signal.features.length === 0) problems.push(['signal.features', 'no feature']);
  if (signal.features.includes('')) problems.push(['signal.features', 'an empty name']);
  if (new Set(signal.features).size < signal.features.length) problems.push(['signal.features', 'a feature twice']);
  return problems;
}

function conditionProblems({ condition }: DriftCheck): readonly Problem[] {
  const isStatistical = condition.kind === 'Statistical' && Object.keys(condition).length === 1;
  return isStatistical ? [] : [['condition', 'must be {kind: Statistical}']];
}

function profileProblems(check: DriftCheck): readonly Problem[] {
  const { profile, method } = check;
  if (profile === undefined) return [['profile', `${method} needs a profile`, 'WYRD_DRIFT_400_PROFILE_REQUIRED']];
  if (profile.kind !== method) return [['profile.kind', `must be ${method}`]];
  switch (profile.kind) {
    case 'Psi':
      return psiProblems(profile, measuredFeatures(check));
    case 'Spc':
      return profile.sample_size < 2 ? [['profile.sample_size', 'at least 2']] : [];
    case 'Custom':
      return customProblems(profile, check);
  }
}

type Profile<K extends string> = Extract<NonNullable<DriftCheck['profile']>, { kind: K }>;

function psiProblems(profile: Profile<'Psi'>, features: readonly string[]): readonly Problem[] {
  const problems: Problem[] = [];
  const { n_bins: bins } = profile.binning_strategy;
  if (bins < 2 || bins > 1000) problems.push(['profile.binning_strategy.n_bins', 'from 2 to 1000']);
  const categorical = profile.categorical_features ?? [];
  if (categorical.some((feature) => !features.includes(feature))) {
    problems.push(['profile.categorical_features', 'a feature that the signal does not have']);
  }
  const { threshold } = profile;
  if (threshold.kind === 'Fixed') {
    if (!(threshold.value > 0)) problems.push(['profile.threshold.value', 'a positive number']);
  } else if (!(threshold.alpha > 0 && threshold.alpha < 1)) {
    problems.push(['profile.threshold.alpha', 'between 0 and 1, both excluded']);
  }
  return problems;
}

function customProblems(profile: Profile<'Custom'>, { signal }: DriftCheck): readonly Problem[] {
  const problems: Problem[] = [];
  const isSame = signal.kind === 'Metric' && profile.metric_name === signal.name;
  if (profile.metric_name === '' || !isSame) problems.push(['profile.metric_name', 'must be the name of the signal']);
  if (profile.alert_threshold < 0) problems.push(['profile.alert_threshold', 'not negative']);
  return problems;
}
