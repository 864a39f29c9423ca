import type { Route, RunConfig } from '#contract/cards/agent.ts';
import type { DriftSpec } from '#contract/cards/drift.ts';
import type { Prompt } from '#contract/cards/prompt.ts';
import type { CardRef } from '#contract/cards/reference.ts';
import type { MediaFormat } from '#contract/formats.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { Operator } from '#contract/operators.ts';
import type { Reference } from './references/reference.ts';

/**
 * A compiled Verifier: what `compile` makes of a Card and what `begin` runs. Plain JSON, every reference parsed,
 * every default filled in, every order fixed, so that a Run needs neither the Card nor a registry.
 * Rules: docs/spec/verification.md §2–§8.
 */
export interface Verifier {
  readonly api: 'wyrd/v1' | 'touchstone/v1';
  readonly mode: 'run' | 'window';
  readonly slots: Readonly<Record<string, Slot>>;
  /** Fixed Artifact files of workspaces: `attachment_<n>` → the file (§4.4). */
  readonly attachments: Readonly<Record<string, Attachment>>;
  /** In report order (§10.1). */
  readonly steps: readonly StepPlan[];
  /** Step requirements and whole requirements together, in report order (§10.1). */
  readonly requirements: readonly RequirementPlan[];
  /** Step ids by stage, bytewise inside a stage. */
  readonly stages: readonly (readonly string[])[];
  readonly decide: 'all' | { readonly pass_rate: { readonly threshold: number } };
  readonly capture: 'full' | 'hash' | 'redact';
  /** `recorded_at`, or a canonical reference text; meaning: background.md §5.6. */
  readonly order_by: string | null;
}

export type Slot =
  | { readonly type: 'json'; readonly required: boolean; readonly schema?: JsonObject | boolean }
  | {
      readonly type: 'media';
      readonly required: boolean;
      readonly formats: readonly MediaFormat[];
      readonly max_bytes?: number;
    }
  | { readonly type: 'trace'; readonly required: boolean }
  | { readonly type: 'samples'; readonly features: readonly string[] }
  | { readonly type: 'source'; readonly reference: string };

export interface Attachment {
  readonly artifact: CardRef;
  readonly path: string;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly format: MediaFormat | null;
}

export interface StepPlan {
  readonly id: string;
  /** Steps that must be settled first: references of action and `when`, and `depends_on`; bytewise, unique. */
  readonly dependencies: readonly string[];
  readonly when: Condition | null;
  readonly action: ExtractPlan | AgentPlan | CodePlan;
  /** Ids of its own requirements, in declared order. */
  readonly requirements: readonly string[];
  readonly timeout_seconds: number | null;
  readonly retries: number;
}

export interface Comparison {
  readonly operator: Operator;
  /** Absent in the Card = null. */
  readonly expected: Json;
  readonly normalize: 'none' | 'nfkc' | 'visible';
}

export interface Condition extends Comparison {
  readonly path: Reference;
}

export interface ExtractPlan {
  readonly kind: 'extract';
  readonly slot: string;
  readonly require_text: boolean;
}

/** One named input of a call. Lists of bindings are in byte order of `name` (§10.2). */
export interface Binding {
  readonly name: string;
  readonly reference: Reference;
}

export interface WorkspaceEntry {
  /** `/inputs/…`. Lists are in byte order of `path`. */
  readonly path: string;
  readonly source:
    | { readonly kind: 'reference'; readonly reference: Reference }
    | { readonly kind: 'attachment'; readonly slot: string };
}

export interface AgentPlan {
  readonly kind: 'agent';
  /** Absent for an inline Agent or Prompt. */
  readonly agent?: CardRef;
  readonly prompt_ref?: CardRef;
  readonly prompt: Prompt;
  readonly route: Route;
  readonly run_config: RunConfig;
  readonly tool_names: readonly string[];
  readonly inputs: readonly Binding[];
  readonly workspace: readonly WorkspaceEntry[];
  /** What the answer must be: free text, an object of the author's schema, or a Verdict (§4.4, §5.2). */
  readonly response:
    | { readonly kind: 'text' }
    /** `data`: schema of the `data` member of a hand-written Verdict schema, when it has one. */
    | { readonly kind: 'schema'; readonly schema: JsonObject; readonly data?: JsonObject }
    | { readonly kind: 'verdict'; readonly data?: JsonObject };
  /** Slots this call reaches (§5.4), bytewise; attachments included. */
  readonly reach: readonly string[];
}

export interface CodePlan {
  readonly kind: 'code';
  readonly source:
    | { readonly kind: 'inline'; readonly text: string }
    | { readonly kind: 'artifact'; readonly artifact: CardRef; readonly path?: string };
  readonly entrypoint: string;
  readonly inputs: readonly Binding[];
  /** Schema of the declared `data` of a check's Verdict. */
  readonly data?: JsonObject;
  readonly reach: readonly string[];
}

export type CheckPlan =
  | AssertPlan
  | TracePlan
  | (AgentPlan & { readonly require_quote: boolean })
  | (CodePlan & { readonly require_quote: boolean })
  | { readonly kind: 'drift'; readonly slot: string; readonly spec: DriftSpec };

export interface AssertPlan extends Comparison {
  readonly kind: 'assert';
  readonly selector: { readonly kind: 'path' | 'each'; readonly reference: Reference };
  readonly allow_empty: boolean;
  readonly min_items: number;
}

export interface TracePlan extends Comparison {
  readonly kind: 'trace';
  readonly slot: string;
  readonly selector: string;
  /** `collapse` is §9.4; `list` is §17. */
  readonly select: 'collapse' | 'list';
}

export interface RequirementPlan {
  readonly id: string;
  readonly statement: string;
  /** Owner, for a step requirement. */
  readonly step?: string;
  readonly check: CheckPlan;
  /** `check` as the result shows it: as authored, defaults dropped, references resolved (§13). */
  readonly authored: JsonObject;
  readonly severity: 'required' | 'advisory';
}
