import type { DriftSpec } from '#contract/cards/drift.ts';
import { foldWindow } from '#engine/drift/fold-window.ts';
import type { BaselineFit, WindowStatistics } from '#engine/drift/statistics.ts';
import { gatherRows } from '../gather-rows.ts';
import { digestParts, rowsDigest } from '../rows-digest.ts';
import { featuresOf } from '../window-look.ts';
import { readSection } from './split-rows.ts';

/** What one share of a window holds. */
export interface CountedShare {
  readonly window: WindowStatistics;
  /** SHA-256 in hex of its parts of the digest. */
  readonly digests: readonly string[];
  readonly count: number;
  /** Its rows in row order, a line each, for a check that must see all rows in their order; null for Psi. */
  readonly rows: Uint8Array | null;
}

export interface ShareCounting {
  /** Sections of all ranges, in the order of ingest. */
  add(section: Uint8Array): void;
  end(): CountedShare;
}

/** Whether a check's statistics are those of the row order: they are not merged from parts. */
export function isOrdered({ method }: DriftSpec): boolean {
  return method !== 'Psi';
}

export function countShare(
  spec: DriftSpec,
  fit: BaselineFit | null,
  { share, shares }: { readonly share: number; readonly shares: number },
): ShareCounting {
  const features = featuresOf(spec);
  const gathering = gatherRows(features);
  return {
    add(section) {
      for (const row of readSection(section, features)) gathering.add(row);
    },
    end() {
      const fold = foldWindow(spec, fit);
      const digest = rowsDigest(features);
      const lines: string[] = [];
      let count = 0;
      for (const { record_id, order, values } of gathering.inOrder()) {
        count += 1;
        fold.add(values);
        digest.add(record_id, values);
        if (isOrdered(spec)) {
          lines.push(
            `${JSON.stringify([order, record_id, ...features.map((feature) => values.get(feature) ?? null)])}\n`,
          );
        }
      }
      const width = digestParts / shares;
      return {
        window: fold.statistics(),
        digests: digest.parts(share * width, (share + 1) * width),
        count,
        rows: isOrdered(spec) ? Buffer.from(lines.join('')) : null,
      };
    },
  };
}
