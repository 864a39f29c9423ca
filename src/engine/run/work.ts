import type { Route, RunConfig } from '#contract/cards/agent.ts';
import type { DriftSpec } from '#contract/cards/drift.ts';
import type { Prompt } from '#contract/cards/prompt.ts';
import type { CardRef } from '#contract/cards/reference.ts';
import type { PinnedMedia } from '#contract/evidence.ts';
import type { MediaFormat } from '#contract/formats.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { ReasonCode } from '#contract/reason-codes.ts';
import type { Provenance, ToolCall } from '#contract/result.ts';
import type { BaselineFit, WindowStatistics } from '../drift/statistics.ts';

/**
 * What the world must do next: handed out by `ready` as data, performed by a driver, answered with `settle`
 * (docs/spec/verification.md §10.10). `id` is unique in the run and the same on every host.
 */
export type Work = ExtractWork | AgentWork | CodeWork | TraceWork | PlacesWork | DriftWork;

interface WorkBase {
  readonly id: string;
  /** 1 for the first try. */
  readonly attempt: number;
  /** Pause before this try begins, in milliseconds (§10.6). */
  readonly delay_ms: number;
  /** The provider's Retry-After; used instead of `delay_ms` when it is shorter than what is left of the deadline. */
  readonly retry_after_ms?: number;
}

/** A step's action or a requirement's check. */
interface BlockWork extends WorkBase {
  readonly position: 'step' | 'check';
  /** The step's or requirement's id. */
  readonly block: string;
  /** The authored bound of one attempt of a step; null otherwise (§10.7). */
  readonly timeout_ms: number | null;
}

/** Settled by `{ output }`: an `Extraction` of §4.3, or a failure. */
export interface ExtractWork extends BlockWork {
  readonly kind: 'extract';
  readonly slot: string;
  readonly media: PinnedMedia;
  readonly require_text: boolean;
}

/** One filled placeholder of a prompt: a value, or a whole media slot placed natively (§4.4). */
export type BoundInput =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'media'; readonly slot: string; readonly media: PinnedMedia };

export interface WorkspaceFile {
  /** `/inputs/…` */
  readonly path: string;
  readonly content: BoundInput;
  /** Slots behind this file, for the locators that `fs.read` reports. */
  readonly slots: readonly string[];
  /** Where a value stands in the one slot behind it; absent when it is no single place of it. */
  readonly origin?: ValueOrigin;
}

export interface ValueOrigin {
  /** RFC 6901, in the slot's value or in the extract output. */
  readonly pointer: string;
  /** The format of the file, when the value is from its extract output. */
  readonly extracted?: MediaFormat;
}

/** Settled by `{ verdict }` at a check, `{ output }` at a step. */
export interface AgentWork extends BlockWork {
  readonly kind: 'agent';
  readonly agent?: CardRef;
  readonly prompt_ref?: CardRef;
  readonly prompt: Prompt;
  /** The effective route, overrides applied. */
  readonly route: Route;
  readonly run_config: RunConfig;
  readonly tool_names: readonly string[];
  readonly inputs: Readonly<Record<string, BoundInput>>;
  readonly workspace: readonly WorkspaceFile[];
  /** The schema to send and to hold the answer against; null = free text. */
  readonly schema: JsonObject | null;
  /** What the answer is decoded as after the schema (§5.1). */
  readonly decode: 'text' | 'object' | 'verdict';
  readonly data?: JsonObject;
  readonly require_quote: boolean;
}

/** Settled by `{ verdict }` at a check, `{ output }` at a step. */
export interface CodeWork extends BlockWork {
  readonly kind: 'code';
  readonly source:
    | { readonly kind: 'inline'; readonly text: string }
    | { readonly kind: 'artifact'; readonly artifact: CardRef; readonly path?: string };
  readonly entrypoint: string;
  readonly inputs: JsonObject;
  /** RFC 3339; the sandbox clock stands here (§4.5). */
  readonly clock: string;
}

/** Read once a run and slot (§9.1). Settled by `{ trace }`, or a failure with a `trace_*` code. */
export interface TraceWork extends WorkBase {
  readonly kind: 'trace';
  readonly slot: string;
  readonly trace_id: string;
}

/** A window of samples and its baseline (docs/spec/background.md §6). Settled by `{ window }`, or a failure. */
export interface DriftWork extends WorkBase {
  readonly kind: 'drift';
  /** The requirement's id. */
  readonly block: string;
  readonly spec: DriftSpec;
  /** RFC 3339, half-open. */
  readonly window: { readonly start: string; readonly end: string };
}

/** What places a cited media slot has (§5.3). Settled by `{ places }`, or a failure. */
export interface PlacesWork extends WorkBase {
  readonly kind: 'places';
  readonly slot: string;
  readonly media: PinnedMedia;
}

/** The citable places of one file. `texts` are there for quotes (§17). */
export type Places =
  | { readonly kind: 'pages'; readonly texts: readonly string[] }
  | { readonly kind: 'slides'; readonly slides: readonly Json[] }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'document'; readonly output: Json }
  | { readonly kind: 'none' };

/** The answer to one attempt of one work item (§10.10). */
export interface Settlement {
  readonly attempt: number;
  /** Wall time of the try, its pause included. */
  readonly duration_ms: number;
  readonly result: SettlementResult;
  readonly provenance?: Provenance;
  readonly tool_calls?: readonly ToolCall[];
  readonly warnings?: readonly string[];
  readonly attestation?: Attestation;
}

/** What only the record says of the work done (docs/spec/records.md §1); digests are SHA-256 in lower hex. */
export type Attestation =
  | {
      readonly kind: 'agent';
      /** Of the RFC 8785 bytes of the Prompt. */
      readonly prompt_sha256: string;
      /** Of the last turn; null when no answer came. */
      readonly model_reported: string | null;
      readonly request_sha256: string | null;
      readonly response_sha256: string | null;
    }
  | { readonly kind: 'code'; readonly interpreter: string }
  | {
      readonly kind: 'drift';
      /** Of the RFC 8785 bytes of the fit; null where there is none. */
      readonly baseline_sha256: string | null;
      /** Of the selected rows, in row order. */
      readonly rows_sha256: string;
      readonly count: number;
    };

export type SettlementResult =
  | { readonly kind: 'output'; readonly output: Json }
  /** Untrusted: what the judge returned, decoded JSON; the engine validates it. */
  | { readonly kind: 'verdict'; readonly verdict: Json }
  | { readonly kind: 'trace'; readonly trace: JsonObject }
  | { readonly kind: 'places'; readonly places: Places }
  | { readonly kind: 'window'; readonly fit: BaselineFit | null; readonly window: WindowStatistics }
  | {
      readonly kind: 'failure';
      readonly code: ReasonCode;
      readonly retryable: boolean;
      readonly reason?: string;
      /** The provider's Retry-After, if it gave one. */
      readonly retry_after_ms?: number;
    }
  /** Capacity refused: no failure of the block; the execution stops without a verdict (§10.9). */
  | { readonly kind: 'busy'; readonly retry_after_ms?: number };
