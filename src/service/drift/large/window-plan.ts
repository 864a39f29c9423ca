import { z } from 'zod';
import type { LargeWindows, PiecePlace, WindowRange } from '../../ports/large-windows.ts';
import type { WindowLook } from '../../ports/observations.ts';
import { digestParts } from '../rows-digest.ts';

/** How a window is counted in parts; fixed before the first of them. */
export interface WindowPlan {
  /** Read by one function each, in the order of ingest. Empty: the window is above the limit. */
  readonly ranges: readonly WindowRange[];
  /** How many functions count: a power of two, at most the parts of the digest. */
  readonly shares: number;
}

/** One call of a function. */
export interface WindowPart {
  readonly phase: 'split' | 'count';
  /** Of the range, or of the share. */
  readonly index: number;
}

/** As many as a baseline may have (docs/spec/background.md §6.5). */
export const mostWindowRows = 50_000_000;
/** A row with more features takes as much as several. */
const featuresOfRow = 8;

const planPiece = 'plan';
export const pieceOf = ({ phase, index }: WindowPart) => `${phase}-${index}`;

/** Null: one function counts the window. */
export async function planWindow(large: LargeWindows, place: PiecePlace, look: WindowLook): Promise<WindowPlan | null> {
  const held = await readPlan(large, place);
  if (held) return held;
  const mostRows = Math.ceil((large.part_rows * featuresOfRow) / Math.max(featuresOfRow, look.features.length));
  const ranges = await large.ranges.of(place.tenant, look, mostRows);
  const rows = ranges.reduce((sum, range) => sum + range.rows, 0);
  if (rows <= mostRows) return null;
  const shares = Math.min(digestParts, 2 ** Math.ceil(Math.log2(rows / mostRows)));
  const plan: WindowPlan = { ranges: rows > mostWindowRows ? [] : ranges, shares };
  await large.pieces.put(place, planPiece, Buffer.from(JSON.stringify(plan)));
  return plan;
}

const planSchema = z.object({
  ranges: z.array(z.object({ from: z.string(), to: z.string(), rows: z.number() })),
  shares: z.number(),
});

/** Null: nobody planned it. */
export async function readPlan({ pieces }: LargeWindows, place: PiecePlace): Promise<WindowPlan | null> {
  const bytes = await pieces.read(place, planPiece);
  return bytes && planSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
}

/** What can be done now: all that is read comes before all that is counted. Empty: the window is counted. */
export async function partsLeft(
  { pieces }: LargeWindows,
  place: PiecePlace,
  { ranges, shares }: WindowPlan,
): Promise<readonly WindowPart[]> {
  if (ranges.length === 0) return [];
  const done = await pieces.names(place);
  const left = (phase: WindowPart['phase'], count: number) =>
    Array.from({ length: count }, (_unused, index) => ({ phase, index })).filter((part) => !done.has(pieceOf(part)));
  const unread = left('split', ranges.length);
  return unread.length > 0 ? unread : left('count', shares);
}
