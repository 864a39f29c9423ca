import type { Route } from '#contract/cards/agent.ts';
import type { PinnedInput } from '#contract/evidence.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { ReasonCode } from '#contract/reason-codes.ts';
import type { Citation, Provenance, RequirementResult, ToolCall, Verdict } from '#contract/result.ts';
import type { Verifier } from '../plan.ts';
import type { Attestation, Places } from './work.ts';

/** What `begin` is given beside the Verifier. */
export interface RunInput {
  /** RFC 3339 start of the execution; the only time the run knows. */
  readonly started_at: string;
  /** Pinned declarations of the slots that were sent, `attachment_<n>` included; already checked (§3.3). */
  readonly inputs: Readonly<Record<string, PinnedInput>>;
  /** Slots whose file was declared but never stored (§10.2). */
  readonly not_stored?: readonly string[];
  /** Of scheduled work: the window that is judged (background.md §4.3). */
  readonly window?: { readonly start: string; readonly end: string };
  /** Agent block id → the whole route for this call (§4.4). */
  readonly route_overrides?: Readonly<Record<string, Route>>;
}

/**
 * One verification between two calls of the engine: plain JSON, so that it can be stored, moved to another machine
 * and replayed (docs/spec/verification.md §10.10). States are lists beside the plan's lists, never maps by id: an id
 * may be `__proto__`.
 */
export interface Run extends RunInput {
  readonly verifier: Verifier;
  readonly steps: readonly StepState[];
  readonly requirements: readonly RequirementState[];
  readonly traces: readonly TraceState[];
  readonly places: readonly PlacesState[];
  /** A block was refused capacity: the execution stops without a verdict (§10.9). */
  readonly busy: { readonly retry_after_ms?: number } | null;
}

export type StepState =
  | { readonly phase: 'waiting' }
  | RunningStep
  | {
      readonly phase: 'succeeded';
      readonly log: readonly string[];
      readonly duration_ms: number;
      readonly output: Json;
      readonly provenance?: Provenance;
      readonly tool_calls?: readonly ToolCall[];
      readonly warnings?: readonly string[];
      readonly attestation?: Attestation;
    }
  | {
      readonly phase: 'failed';
      readonly log: readonly string[];
      readonly duration_ms: number;
      readonly code: ReasonCode;
      readonly reason?: string;
      /** Not shown in the result, which has it for succeeded steps only; the record names it. */
      readonly provenance?: Provenance;
      readonly tool_calls?: readonly ToolCall[];
      readonly attestation?: Attestation;
    }
  | { readonly phase: 'skipped'; readonly code: ReasonCode; readonly cause: Cause };

export interface RunningStep {
  readonly phase: 'running';
  /** Codes of the tries made so far; the next try has number `log.length + 1`. */
  readonly log: readonly string[];
  readonly duration_ms: number;
  readonly delay_ms: number;
  readonly retry_after_ms?: number;
}

/** Why a binding gives no value (§10.2). Failure is the stronger one. */
export type Cause = 'skip' | 'failure';

export type RequirementState =
  | { readonly phase: 'waiting' }
  /** Its executor is at work, or the trace it reads is. */
  | { readonly phase: 'running' }
  /** A well-formed Verdict whose cited places are not all known yet. */
  | {
      readonly phase: 'placing';
      readonly verdict: Verdict;
      readonly provenance?: Provenance;
      readonly tool_calls?: readonly ToolCall[];
      readonly attestation?: Attestation;
    }
  | JudgedRequirement;

export interface JudgedRequirement {
  readonly phase: 'judged';
  readonly outcome: RequirementResult['outcome'];
  readonly code: ReasonCode;
  /** Present when it says more than the fixed text of the code. */
  readonly reason?: string;
  readonly actual?: Json;
  readonly expected?: Json;
  readonly citations?: readonly Citation[];
  readonly dropped_citations?: number;
  readonly data?: JsonObject;
  readonly detail?: { readonly drift: JsonObject };
  readonly provenance?: Provenance;
  readonly tool_calls?: readonly ToolCall[];
  /** Never part of the result. */
  readonly attestation?: Attestation;
}

export type TraceState = { readonly slot: string } & (
  | { readonly kind: 'pending' }
  | { readonly kind: 'read'; readonly trace: JsonObject }
  | { readonly kind: 'failure'; readonly code: ReasonCode }
);

export type PlacesState = { readonly slot: string } & (
  | { readonly kind: 'pending' }
  | { readonly kind: 'known'; readonly places: Places }
  | { readonly kind: 'failure'; readonly code: ReasonCode }
);

/**
 * Asked after each requirement that was judged; true ends the call of the engine there, and `resume` goes on. A caller
 * that shares its thread lets others have their turn, which no outcome depends on.
 */
export type Pause = () => boolean;

/** A Run while one call of the engine works on it: the same lists, writable. Never leaves the engine. */
export interface Draft extends RunInput {
  readonly verifier: Verifier;
  readonly steps: StepState[];
  readonly requirements: RequirementState[];
  readonly traces: TraceState[];
  readonly places: PlacesState[];
  busy: { readonly retry_after_ms?: number } | null;
}

export function draftOf(run: Run): Draft {
  return {
    ...run,
    steps: [...run.steps],
    requirements: [...run.requirements],
    traces: [...run.traces],
    places: [...run.places],
  };
}

/** A new one has judged nothing and asks for nothing; `advance` makes it move. */
export function newDraft(verifier: Verifier, input: RunInput): Draft {
  return {
    ...input,
    verifier,
    steps: verifier.steps.map(() => ({ phase: 'waiting' })),
    requirements: verifier.requirements.map(() => ({ phase: 'waiting' })),
    traces: [],
    places: [],
    busy: null,
  };
}
