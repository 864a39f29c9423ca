import type { CardRef } from './cards/reference.ts';
import type { PinnedInput } from './evidence.ts';
import type { Json, JsonObject } from './json.ts';
import type { ReasonCode } from './reason-codes.ts';

/** The three words of a judgement (docs/spec/verification.md). Unknown is `inconclusive`, never anything else. */
export type VerdictWord = 'passed' | 'failed' | 'inconclusive';

/** docs/spec/verification.md §5.3. Counts start at 1. */
export type Locator =
  | { readonly page: number }
  | { readonly slide: number }
  | { readonly lines: { readonly start: number; readonly end: number } }
  | { readonly json_pointer: string }
  | {
      readonly region: {
        readonly page: number;
        readonly x: number;
        readonly y: number;
        readonly width: number;
        readonly height: number;
      };
    };

export interface Citation {
  readonly slot: string;
  readonly locator: Locator;
  /** Only under `require_quote` (verification.md §17). */
  readonly quote?: string;
}

/** What every agent check and code check returns (verification.md §5.1). */
export interface Verdict {
  readonly outcome: VerdictWord;
  readonly reason: string;
  readonly citations: readonly Citation[];
  readonly data?: JsonObject;
}

/** Closed on the wire (wire.md §6.5). */
export type Provenance =
  | { readonly kind: 'agent'; readonly agent?: CardRef; readonly prompt?: CardRef; readonly route: JsonObject }
  | { readonly kind: 'code'; readonly sha256: string; readonly runtime: 'python' }
  | { readonly kind: 'extract'; readonly version: string }
  | { readonly kind: 'drift'; readonly window?: { readonly start: string; readonly end: string } };

export interface ToolCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly output_sha256?: string;
  readonly returned_bytes: number;
  readonly error?: { readonly code: string; readonly message?: string };
}

/** verification.md §13. Absent means absent, never null, except values that are JSON null. */
export interface RequirementResult {
  readonly id: string;
  readonly statement: string;
  readonly outcome: VerdictWord | 'not_applicable';
  readonly step?: string;
  readonly severity?: 'advisory';
  readonly reason: string;
  readonly reason_code: ReasonCode;
  readonly actual?: Json;
  readonly expected?: Json;
  readonly citations?: readonly Citation[];
  readonly dropped_citations?: number;
  readonly data?: JsonObject | { readonly sha256: string };
  readonly detail?: { readonly drift: JsonObject };
  readonly check: JsonObject;
  readonly provenance?: Provenance;
  readonly tool_calls?: readonly ToolCall[];
}

export interface StepResult {
  readonly id: string;
  readonly status: 'succeeded' | 'failed' | 'skipped';
  readonly attempts: number;
  readonly duration_ms: number;
  readonly output?: Json;
  readonly reason?: string;
  readonly reason_code?: ReasonCode;
  readonly attempt_log?: readonly string[];
  readonly warnings?: readonly string[];
  readonly provenance?: Provenance;
  readonly tool_calls?: readonly ToolCall[];
}

export interface Outcome {
  readonly verdict: VerdictWord;
  readonly requirements: readonly RequirementResult[];
  readonly steps: readonly StepResult[];
  readonly evidence: Readonly<Record<string, PinnedInput | JsonObject>>;
}

/** The answer of `execute` and the `result` of an execution (verification.md §13, wire.md §6.5). */
export interface VerificationResult {
  readonly execution_id: string;
  readonly run_id?: string;
  readonly verifier: CardRef;
  readonly subject: CardRef;
  readonly deployment_environment?: string;
  readonly outcome: Outcome;
  readonly record?: { readonly state: 'pending' | 'signed'; readonly digest?: string };
  readonly engine: { readonly name: string; readonly version: string };
}
