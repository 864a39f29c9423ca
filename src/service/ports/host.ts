import type { TokenClaims } from '../auth/tokens.ts';
import type { BoundedCache } from '../bounded-cache.ts';
import type { CompiledVerifier } from '../cards/compiled-verifiers.ts';
import type { Driven } from '../drive/drive.ts';
import type { DriveInput } from '../drive/performing.ts';
import type { Clock, Evidence, Ids, Log } from '../ports.ts';
import type { Attempts, Workflow, WorkResults } from './attempts.ts';
import type { Baselines } from './baselines.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { Connections, SecretBox } from './connections.ts';
import type { Deliveries } from './deliver.ts';
import type { Dispatches } from './dispatches.ts';
import type { Alarms, DueRows } from './due.ts';
import type { Executions, Spool } from './executions.ts';
import type { Groups } from './groups.ts';
import type { Idempotency } from './idempotency.ts';
import type { ApiKeys, TokenKeys } from './keys.ts';
import type { Observations } from './observations.ts';
import type { Records } from './records.ts';
import type { Registry } from './registry.ts';
import type { Retention, RetentionRules } from './retention.ts';
import type { Schedules } from './schedules.ts';
import type { Signer } from './signer.ts';
import type { Spans } from './spans.ts';
import type { Transfers, Uploads } from './uploads.ts';

/** Everything a host composes: the ports of all use cases that the routes call. */
export interface HostPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly registry: Registry;
  readonly executions: Executions;
  readonly spool: Spool;
  readonly idempotency: Idempotency;
  readonly attempts: Attempts;
  readonly workResults: WorkResults;
  readonly workflow: Workflow;
  readonly groups: Groups;
  readonly schedules: Schedules;
  readonly dispatches: Dispatches;
  readonly dueRows: DueRows;
  readonly alarms: Alarms;
  readonly connections: Connections;
  readonly secretBox: SecretBox;
  readonly deliveries: Deliveries;
  readonly baselines: Baselines;
  readonly spans: Spans;
  readonly observations: Observations;
  readonly records: Records;
  readonly checkpoints: Checkpoints;
  readonly retention: Retention;
  readonly retention_rules: RetentionRules;
  readonly signer: Signer;
  readonly uploads: Uploads;
  readonly transfers: Transfers;
  readonly evidence: Evidence;
  readonly keys: ApiKeys;
  readonly tokenKeys: TokenKeys;
  readonly drive: (input: DriveInput) => Promise<Driven>;
  readonly engine: { readonly name: string; readonly version: string };
  readonly execute_ms: number;
  /** For how long an owner's exchange keeps its bindings active (docs/spec/background.md §3.4); absent: a day. */
  readonly activity_ms?: number;
  /** The name of a part that does not answer now; null when all do. */
  readonly failingPart: () => Promise<string | null>;
  /** Aborts when the host stops. */
  readonly stopping: AbortSignal;
  readonly verifiedTokens: BoundedCache<TokenClaims>;
  readonly compiledVerifiers: BoundedCache<CompiledVerifier>;
  /** Keys whose first call is under way in this process (docs/spec/background.md §2.3). */
  readonly callsInFlight: Map<string, Promise<unknown>>;
}
