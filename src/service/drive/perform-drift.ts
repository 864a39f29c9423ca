import { createHash } from 'node:crypto';
import type { Work } from '#engine/index.ts';
import { canonical } from '#engine/values/canonical.ts';
import { type CountedWindow, countWindow } from '../drift/count-window.ts';
import { mergeShares } from '../drift/large/large-window.ts';
import { mostWindowRows, readPlan } from '../drift/large/window-plan.ts';
import { windowLook } from '../drift/window-look.ts';
import type { BaselineFit, Baselines } from '../ports/baselines.ts';
import type { DriveInput, DrivePorts, Performed } from './performing.ts';

export type DriftWork = Extract<Work, { kind: 'drift' }>;

/**
 * Counts the window of one check against its baseline (docs/spec/background.md §6.3–§6.5), or takes what was counted of it
 * in parts. The record names the digests of the baseline and of the selected rows.
 */
export async function performDrift(
  ports: DrivePorts,
  input: DriveInput,
  work: DriftWork,
  signal: AbortSignal,
): Promise<Performed> {
  const { samples } = ports;
  const { subject_uid, verifier_uid } = input;
  if (samples === undefined || subject_uid === undefined || verifier_uid === undefined) {
    return unscored('this host keeps no samples');
  }
  const provenance = { kind: 'drift', window: work.window } as const;
  const fit = await fitOf(samples.baselines, input.tenant, verifier_uid, work);
  if (typeof fit === 'string') return { ...unscored(fit), provenance };
  const counted = await count({ ...samples, clock: ports.clock }, { ...input, subject_uid }, { work, fit }, signal);
  if (counted === null) return { ...unscored(`the window has more than ${mostWindowRows} rows`), provenance };
  const { window, rows_sha256, count: rows } = counted;
  return {
    result: { kind: 'window', fit, window },
    provenance,
    attestation: { kind: 'drift', baseline_sha256: fit && digestOf(fit), rows_sha256, count: rows },
  };
}

/** Null: there are too many rows. */
async function count(
  { observations, largeWindows: large, clock }: NonNullable<DrivePorts['samples']> & Pick<DrivePorts, 'clock'>,
  { tenant, subject_uid, attempt_of }: DriveInput & { readonly subject_uid: string },
  { work, fit }: { readonly work: DriftWork; readonly fit: BaselineFit | null },
  signal: AbortSignal,
): Promise<CountedWindow | null> {
  if (large && attempt_of) {
    const place = { tenant, ...attempt_of, work_id: work.id };
    const plan = await readPlan(large, place);
    if (plan?.ranges.length === 0) return null;
    if (plan) return mergeShares({ large, place, spec: work.spec, fit }, plan);
  }
  const look = windowLook(subject_uid, work);
  return countWindow({ observations, clock }, tenant, { spec: work.spec, fit, look }, signal);
}

function digestOf(fit: BaselineFit): string {
  return createHash('sha256')
    .update(canonical(JSON.parse(JSON.stringify(fit))))
    .digest('hex');
}

/** Null: the check needs none. A sentence: why there is none. */
export async function fitOf(
  baselines: Baselines,
  tenant: string,
  verifier_uid: string,
  { spec, block }: DriftWork,
): Promise<BaselineFit | null | string> {
  if (spec.method === 'Custom') return null;
  const state = await baselines.find(tenant, { verifier_uid, requirement: block });
  if (state?.status === 'ready') return state.fit;
  return state?.status === 'failed'
    ? `the baseline could not be fitted: ${state.reason}`
    : 'the baseline is not fitted';
}

function unscored(reason: string): Performed {
  return { result: { kind: 'failure', code: 'drift_unscored', retryable: false, reason } };
}
