import type { CardRef } from '#contract/cards/reference.ts';
import type { PinnedInput } from '#contract/evidence.ts';
import type { JsonObject } from '#contract/json.ts';
import type { VerdictWord } from '#contract/result.ts';
import type { Permission } from '../auth/permissions.ts';
import type { GroupTouch } from './group-touch.ts';
import type { Page, PageRequest } from './page.ts';
import type { ExecutionRecord } from './records.ts';

/** docs/spec/background.md §1.1. Only `completed` has a verdict. */
export type ExecutionStatus = 'pending' | 'running' | 'retrying' | 'completed' | 'cancelled' | 'timed_out' | 'errored';

export type ExecutionOrigin = 'execute' | 'enqueue' | 'schedule' | 'group_end' | 'replay';

/** What the host keeps of one execution. The tenant is always given apart. */
export interface Execution {
  /** UUIDv7; its order is the order of admission. */
  readonly execution_id: string;
  readonly status: ExecutionStatus;
  readonly verdict: VerdictWord | null;
  readonly origin: ExecutionOrigin;
  readonly verifier: CardRef;
  readonly subject: CardRef;
  readonly binding_id: string | null;
  readonly owner_card_uid: string | null;
  readonly group_id: string | null;
  readonly run_id: string | null;
  readonly principal: string;
  /** Of a failed execution; while it is `retrying`, of its last attempt. */
  readonly error: { readonly code: string; readonly message: string } | null;
  /** Attempts claimed so far, those given back not counted; absent where there are none (direct `execute`). */
  readonly attempts?: number;
  /** RFC 3339. */
  readonly created_at: string;
  readonly ended_at: string | null;
  /** Pinned slots and route overrides: enough to run it again. */
  readonly request: ExecutionRequest;
  /** JSON text of the result document, answered byte for byte as it was stored; null without a verdict. */
  readonly result: string | null;
  /** Of a completed execution; null otherwise. */
  readonly record: ExecutionRecord | null;
}

/** What a source slot of a group execution was given. */
export interface GroupSnapshot {
  /** As declared: `verifiers.<name>…`. */
  readonly reference: string;
  readonly execution_ids: readonly string[];
}

export interface ExecutionRequest {
  readonly inputs: Readonly<Record<string, PinnedInput>>;
  readonly not_stored: readonly string[];
  readonly route_overrides: JsonObject;
  readonly deployment_environment: string | null;
  /** What the caller held when it was admitted, where agents of the Verifier have tools (docs/spec/verification.md §4.4). */
  readonly tool_permissions?: readonly Permission[];
  /** Of scheduled work: the window that is judged (docs/spec/background.md §4.3). RFC 3339, half-open. */
  readonly window?: { readonly start: string; readonly end: string };
  /** Of a replay: the execution whose evidence is judged again, and whether its outcomes are to be compared. */
  readonly replay_of?: string;
  readonly compare?: boolean;
  /** Digests of the traces as they were judged first, by trace id. */
  readonly pinned_traces?: Readonly<Record<string, string>>;
  /** The `group_end` bindings of whose groups it is a member (docs/spec/background.md §5.3). */
  readonly member_of?: readonly string[];
  /** Of a group execution: the executions behind each source slot, in order (docs/spec/background.md §5.6). */
  readonly snapshot?: Readonly<Record<string, GroupSnapshot>>;
}

/** A row of a list: everything but what is large. */
export type ExecutionSummary = Omit<Execution, 'request' | 'result' | 'record'>;

export interface ExecutionFilter {
  readonly status?: ExecutionStatus;
  readonly verdict?: VerdictWord;
  /** A uid, or a name, or a name and version. */
  readonly verifier?: CardSelector;
  readonly subject?: CardSelector;
  readonly binding?: string;
  readonly group_id?: string;
  readonly run_id?: string;
  readonly origin?: ExecutionOrigin;
  /** RFC 3339, inclusive and exclusive bound of `created_at`. */
  readonly from?: string;
  readonly to?: string;
  /** Only executions of these Verifiers; absent = all. */
  readonly verifier_uids?: readonly string[];
}

export type CardSelector =
  | { readonly by: 'uid'; readonly uid: string }
  | { readonly by: 'name'; readonly name: string; readonly version?: string };

/** Executions of one tenant (docs/spec/background.md §1). */
export interface Executions {
  /** Stores an execution that is settled at birth (direct `execute`). Durable when it resolves; storing it again changes nothing. */
  storeSettled(tenant: string, execution: Execution, touches?: readonly GroupTouch[]): Promise<void>;
  find(tenant: string, executionId: string): Promise<Execution | null>;
  list(tenant: string, filter: ExecutionFilter, page: PageRequest): Promise<Page<ExecutionSummary>>;
  /** Newest execution of each binding asked, by admission. */
  lastOfBindings(tenant: string, bindingIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Where a result waits when the store refuses it (docs/spec/background.md §1.5). Durable when `put` resolves. */
export interface Spool {
  put(tenant: string, execution: Execution): Promise<void>;
  /** Hands each waiting execution to `store` and forgets those it stored. Answers how many are left. */
  drain(store: (tenant: string, execution: Execution) => Promise<void>): Promise<number>;
}
