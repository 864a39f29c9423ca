import type { PinnedInput } from '#contract/evidence.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { Route } from '#contract/cards/agent.ts';
import type { Verifier } from '../plan.ts';

/** What `begin` is given beside the Verifier. */
export interface RunInput {
  /** RFC 3339 start of the execution; the only time the run knows. */
  readonly started_at: string;
  /** Pinned declarations of the slots that were sent, `attachment_<n>` included. Already checked (§3.3). */
  readonly inputs: Readonly<Record<string, PinnedInput>>;
  /** Slots whose file was declared but never stored (§10.2). */
  readonly not_stored?: readonly string[];
  /** Agent block id → the whole route for this call (§4.4). */
  readonly route_overrides?: Readonly<Record<string, Route>>;
}

export type { Json, JsonObject, Verifier };
