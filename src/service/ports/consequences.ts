import type { NewDispatch } from './dispatches.ts';
import type { GroupTouch } from './group-touch.ts';
import type { HeadMove } from './groups.ts';

/** What the settled state of an execution brings about, in the same transaction (docs/spec/background.md §9.2, §5). */
export interface Consequences {
  readonly touches: readonly GroupTouch[];
  readonly dispatches: readonly NewDispatch[];
  readonly head: HeadMove | null;
}

export const noConsequences: Consequences = { touches: [], dispatches: [], head: null };
