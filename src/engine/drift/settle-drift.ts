import type { DriftSpec } from '#contract/cards/drift.ts';
import type { ReasonCode } from '#contract/reason-codes.ts';
import type { JudgedRequirement } from '../run/run.ts';
import type { SettlementResult } from '../run/work.ts';
import { judgeDrift } from './report.ts';

const codes = { passed: 'drift_none', failed: 'drift_found', inconclusive: 'drift_unscored' } as const satisfies Record<
  string,
  ReasonCode
>;

/** A drift requirement from the window that was counted, or from why it could not be (docs/spec/background.md §6.9). */
export function settleDrift(spec: DriftSpec, result: SettlementResult): JudgedRequirement {
  if (result.kind !== 'window') {
    const reason = result.kind === 'failure' ? result.reason : undefined;
    return {
      phase: 'judged',
      outcome: 'inconclusive',
      code: result.kind === 'failure' ? result.code : 'drift_unscored',
      ...(reason === undefined ? {} : { reason }),
    };
  }
  const { outcome, reason, report } = judgeDrift(spec, result.fit, result.window);
  return {
    phase: 'judged',
    outcome,
    code: codes[outcome],
    reason,
    ...(report === null ? {} : { detail: { drift: report } }),
  };
}
