import type { DriftSpec } from '#contract/cards/drift.ts';
import { foldWindow } from '#engine/drift/fold-window.ts';
import type { BaselineFit, WindowStatistics } from '#engine/drift/statistics.ts';
import type { Observations, WindowLook } from '../ports/observations.ts';
import type { Clock } from '../ports.ts';
import { digestOfParts, digestParts, rowsDigest } from './rows-digest.ts';

export interface CountedWindow {
  readonly window: WindowStatistics;
  /** Which rows were seen, and what of them. */
  readonly rows_sha256: string;
  readonly count: number;
}

/** Rows after which others have their turn. */
const turnRows = 4_096;

/** Counts a window in one stream. */
export async function countWindow(
  { observations, clock }: { readonly observations: Observations; readonly clock: Clock },
  tenant: string,
  { spec, fit, look }: { readonly spec: DriftSpec; readonly fit: BaselineFit | null; readonly look: WindowLook },
  signal: AbortSignal,
): Promise<CountedWindow> {
  const fold = foldWindow(spec, fit);
  const digest = rowsDigest(look.features);
  let count = 0;
  for await (const { record_id, values } of observations.window(tenant, look, signal)) {
    fold.add(values);
    digest.add(record_id, values);
    count += 1;
    if (count % turnRows === 0) await clock.sleep(0, signal);
  }
  return { window: fold.statistics(), rows_sha256: digestOfParts(digest.parts(0, digestParts)), count };
}
