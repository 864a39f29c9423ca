import type { Json } from '#contract/json.ts';
import type { Path, Test } from './selector.ts';

/** What one evaluation has spent, and what it has already worked out. */
export interface Work {
  steps: number;
  readonly root: Json;
  /** `$…` paths inside filters say the same for every member, and so do comparisons of only such paths. */
  readonly rooted: Map<Path, readonly Json[]>;
  readonly settled: Map<Test, boolean>;
  /** Values at a path; given here because paths and filters hold each other. */
  readonly follow: (path: Path, current: Json, work: Work) => readonly Json[];
}

/**
 * A hostile selector (`..*..*..*`, or a filter that walks the whole trace for every span) would be exponential. A plain
 * selector over the largest trace (16 MiB) stays far below.
 */
const maxSteps = 4_000_000;

/** Thrown and caught inside this folder only: the deepest loop gives up, the entry answers. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

export function charge(work: Work, steps: number): void {
  work.steps += steps;
  if (work.steps > maxSteps) throw new TooMuchWork('the selector takes too many steps');
}
