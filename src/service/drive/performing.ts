import type { Provenance, ToolCall } from '#contract/result.ts';
import type { RunInput, SettlementResult, Work } from '#engine/index.ts';
import type { Verifier } from '#engine/plan.ts';
import type { Attestation } from '#engine/run/work.ts';
import type { Permission } from '../auth/permissions.ts';
import type { Archives } from '../ports/archives.ts';
import type { Baselines } from '../ports/baselines.ts';
import type { LargeWindows } from '../ports/large-windows.ts';
import type { Observations } from '../ports/observations.ts';
import type { RecordedRows, TableQueries } from '../ports/recorded-tables.ts';
import type { Registry } from '../ports/registry.ts';
import type { Artifacts, Clock, Evidence, Extract, Log, Models, Sandbox, Traces } from '../ports.ts';

/** Every effect that a run's work may need. */
export interface DrivePorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly evidence: Evidence;
  readonly artifacts: Artifacts;
  readonly models: Models;
  readonly sandbox: Sandbox;
  readonly extract: Extract;
  readonly traces: Traces;
  /** Samples and baselines; where they are absent, no window is scored. */
  readonly samples?: {
    readonly observations: Observations;
    readonly baselines: Baselines;
    /** Where one function cannot count every window; a host of one process has none. */
    readonly largeWindows?: LargeWindows;
  };
  /** What tools and workspaces of agents reach besides; where it is absent, such agents are unavailable. */
  readonly tools?: {
    readonly registry: Registry;
    readonly archives: Archives;
    readonly recordedRows: RecordedRows;
    readonly tableQueries: TableQueries;
  };
}

export interface DriveInput {
  readonly tenant: string;
  /** Of scheduled work: whose samples are judged, and whose baselines they are held against. */
  readonly subject_uid?: string;
  readonly verifier_uid?: string;
  /** Of an attempt whose work other functions may have begun: where their pieces are. */
  readonly attempt_of?: { readonly execution_id: string; readonly attempt: number };
  /** Of whoever asked for the execution: tools act with these (docs/spec/verification.md §4.4). Absent: none. */
  readonly permissions?: ReadonlySet<Permission>;
  readonly verifier: Verifier;
  readonly run: RunInput;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Of a replay: digests of the traces as they were judged, by trace id; they are read instead of the live ones. */
  readonly pinned_traces?: Readonly<Record<string, string>>;
  /** A trace that has not landed ends the attempt instead of being judged (docs/spec/verification.md §9.5). */
  readonly wait_for_traces?: boolean;
  /** Cancels from outside: a closed connection, a stopping host. */
  readonly signal?: AbortSignal;
}

/** A settlement without its attempt and duration. */
export interface Performed {
  readonly result: SettlementResult;
  readonly provenance?: Provenance;
  readonly tool_calls?: readonly ToolCall[];
  readonly warnings?: readonly string[];
  readonly attestation?: Attestation;
}

/** How a driver performs work; tests of the driver script it. */
export type Perform = (ports: DrivePorts, input: DriveInput, work: Work, signal: AbortSignal) => Promise<Performed>;
