import { createHash } from 'node:crypto';
import { foldWindow } from '#engine/drift/fold-window.ts';
import type { Work } from '#engine/index.ts';
import { canonical } from '#engine/values/canonical.ts';
import type { BaselineFit } from '../ports/baselines.ts';
import type { DriveInput, DrivePorts, Performed } from './performing.ts';

type DriftWork = Extract<Work, { kind: 'drift' }>;

/** Rows after which others have their turn. */
const turnRows = 4_096;

/**
 * Counts the window of one check against its baseline (docs/spec/background.md §6.3–§6.5). The record names the digests of
 * the baseline and of the selected rows.
 */
export async function performDrift(
  ports: DrivePorts,
  input: DriveInput,
  work: DriftWork,
  signal: AbortSignal,
): Promise<Performed> {
  const { window, spec } = work;
  const provenance = { kind: 'drift', window } as const;
  const { samples } = ports;
  if (samples === undefined || input.subject_uid === undefined || input.verifier_uid === undefined) {
    return unscored('this host keeps no samples');
  }
  const fit = spec.method === 'Custom' ? null : await fitOf(samples, input.tenant, input.verifier_uid, work.block);
  if (typeof fit === 'string') return { ...unscored(fit), provenance };
  const fold = foldWindow(spec, fit);
  const rows = createHash('sha256');
  let count = 0;
  const look = {
    subject_card_uid: input.subject_uid,
    from: Date.parse(window.start),
    to: Date.parse(window.end),
    features: spec.method === 'Custom' ? [spec.signal.name] : spec.signal.features,
  };
  for await (const { record_id, values } of samples.observations.window(input.tenant, look, signal)) {
    fold.add(values);
    rows.update(`${JSON.stringify([record_id, ...look.features.map((feature) => values.get(feature) ?? null)])}\n`);
    count += 1;
    if (count % turnRows === 0) await ports.clock.sleep(0, signal);
  }
  return {
    result: { kind: 'window', fit, window: fold.statistics() },
    provenance,
    attestation: {
      kind: 'drift',
      baseline_sha256:
        fit === null
          ? null
          : createHash('sha256')
              .update(canonical(JSON.parse(JSON.stringify(fit))))
              .digest('hex'),
      rows_sha256: rows.digest('hex'),
      count,
    },
  };
}

/** A sentence: why there is no fit. */
async function fitOf(
  { baselines }: NonNullable<DrivePorts['samples']>,
  tenant: string,
  verifier_uid: string,
  requirement: string,
): Promise<BaselineFit | string> {
  const state = await baselines.find(tenant, { verifier_uid, requirement });
  if (state?.status === 'ready') return state.fit;
  return state?.status === 'failed'
    ? `the baseline could not be fitted: ${state.reason}`
    : 'the baseline is not fitted';
}

function unscored(reason: string): Performed {
  return { result: { kind: 'failure', code: 'drift_unscored', retryable: false, reason } };
}
