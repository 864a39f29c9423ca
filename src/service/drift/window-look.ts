import type { DriftSpec } from '#contract/cards/drift.ts';
import type { WindowLook } from '../ports/observations.ts';

export function featuresOf(spec: DriftSpec): readonly string[] {
  return spec.method === 'Custom' ? [spec.signal.name] : spec.signal.features;
}

/** What a check sees of a window (docs/spec/background.md §6.3). */
export function windowLook(
  subject: string,
  { spec, window }: { readonly spec: DriftSpec; readonly window: { readonly start: string; readonly end: string } },
): WindowLook {
  return {
    subject_card_uid: subject,
    from: Date.parse(window.start),
    to: Date.parse(window.end),
    features: featuresOf(spec),
  };
}
