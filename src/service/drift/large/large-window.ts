import { z } from 'zod';
import type { DriftSpec } from '#contract/cards/drift.ts';
import { foldWindow } from '#engine/drift/fold-window.ts';
import { mergeWindows } from '#engine/drift/merge-windows.ts';
import type { BaselineFit, WindowStatistics } from '#engine/drift/statistics.ts';
import type { LargeWindows, PiecePlace } from '../../ports/large-windows.ts';
import type { WindowLook } from '../../ports/observations.ts';
import type { CountedWindow } from '../count-window.ts';
import { digestOfParts } from '../rows-digest.ts';
import { featuresOf } from '../window-look.ts';
import { countShare, isOrdered } from './count-rows.ts';
import { mergeRows } from './merge-rows.ts';
import { headerBytes, sectionSpan, splitRows } from './split-rows.ts';
import { pieceOf, readPlan, type WindowPart, type WindowPlan } from './window-plan.ts';

/** Sections read at once. */
const readsAtOnce = 8;

/** What a part is of. */
export interface PartOf {
  readonly large: LargeWindows;
  readonly place: PiecePlace;
  readonly spec: DriftSpec;
  readonly fit: BaselineFit | null;
  readonly look: WindowLook;
}

/** Performs one part and leaves its piece. A part that is done again leaves the same. */
export async function performPart(of: PartOf, part: WindowPart, signal?: AbortSignal): Promise<void> {
  const plan = await readPlan(of.large, of.place);
  if (plan === null) throw new Error('a part of a window that nobody planned');
  await (part.phase === 'split' ? splitRange(of, plan, part, signal) : countSections(of, plan, part, signal));
}

async function splitRange(of: PartOf, plan: WindowPlan, part: WindowPart, signal?: AbortSignal): Promise<void> {
  const { large, place, look } = of;
  const range = plan.ranges[part.index];
  if (!range) throw new Error(`the window has no range ${part.index}`);
  const split = splitRows(look.features, plan.shares);
  for await (const rows of large.ranges.rows(place.tenant, look.subject_card_uid, range, signal)) {
    for (const row of rows) split.add(row);
  }
  await large.pieces.put(place, pieceOf(part), split.pack());
}

async function countSections(of: PartOf, plan: WindowPlan, part: WindowPart, signal?: AbortSignal): Promise<void> {
  const { large, place, spec, fit } = of;
  const counting = countShare(spec, fit, { share: part.index, shares: plan.shares });
  for (let at = 0; at < plan.ranges.length; at += readsAtOnce) {
    signal?.throwIfAborted();
    const indexes = plan.ranges.slice(at, at + readsAtOnce).map((_range, index) => at + index);
    const sections = await Promise.all(indexes.map((index) => readShare(of, plan, index, part.index)));
    for (const section of sections) counting.add(section);
  }
  const { rows, ...counted } = counting.end();
  if (rows) await large.pieces.put(place, rowsPiece(part.index), rows);
  // Last: this piece says that the share is counted.
  await large.pieces.put(place, pieceOf(part), Buffer.from(JSON.stringify(counted)));
}

const rowsPiece = (share: number) => `rows-${share}`;

async function readShare({ large, place }: PartOf, plan: WindowPlan, range: number, share: number) {
  const name = pieceOf({ phase: 'split', index: range });
  const header = await large.pieces.read(place, name, { from: 0, to: headerBytes(plan.shares) });
  const span = header && sectionSpan(header, share);
  const section = span && (span.to === span.from ? Buffer.alloc(0) : await large.pieces.read(place, name, span));
  if (!section) throw new Error(`the window has no piece ${name}`);
  return section;
}

/** The window as its shares were counted. */
export async function mergeShares(of: Omit<PartOf, 'look'>, { shares }: WindowPlan): Promise<CountedWindow> {
  const { large, place, spec, fit } = of;
  const indexes = Array.from({ length: shares }, (_unused, index) => index);
  const counted = await Promise.all(indexes.map((index) => readCounted(large, place, index)));
  return {
    window: isOrdered(spec)
      ? await foldOrdered(large, place, spec, fit, indexes.map(rowsPiece))
      : mergeWindows(counted.map(({ window }) => window)),
    rows_sha256: digestOfParts(counted.flatMap(({ digests }) => digests)),
    count: counted.reduce((sum, { count }) => sum + count, 0),
  };
}

const countedSchema = z.object({
  window: z.custom<WindowStatistics>(),
  digests: z.array(z.string()),
  count: z.number(),
});

async function readCounted({ pieces }: LargeWindows, place: PiecePlace, share: number) {
  const bytes = await pieces.read(place, pieceOf({ phase: 'count', index: share }));
  if (!bytes) throw new Error(`the window has no count of share ${share}`);
  return countedSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
}

/** Sums and subgroups are of all rows in their order (docs/spec/background.md §6.10). */
async function foldOrdered(
  large: LargeWindows,
  place: PiecePlace,
  spec: DriftSpec,
  fit: BaselineFit | null,
  names: readonly string[],
): Promise<WindowStatistics> {
  const features = featuresOf(spec);
  const fold = foldWindow(spec, fit);
  for await (const { values } of mergeRows(large, place, names)) {
    fold.add(new Map(features.map((feature, index) => [feature, values[index] ?? null])));
  }
  return fold.statistics();
}
