import type { JsonObject } from '#contract/json.ts';

/** docs/spec/background.md §9.3. */
export type DispatchStatus = 'pending' | 'running' | 'delivered' | 'retrying' | 'failed';

/** Why a dispatch is not delivered (docs/spec/background.md §9.4). */
export type DispatchErrorCode =
  | 'destination_unreachable'
  | 'attempt_timed_out'
  | 'provider_transient'
  | 'provider_rejected'
  | 'destination_rejected'
  | 'connection_unavailable'
  | 'credential_store_unavailable'
  | 'credential_invalid'
  | 'operator_unavailable'
  | 'invalid_request';

/** One Operator's reaction to one execution (§9.2). Times are milliseconds since the epoch. */
export interface Dispatch {
  /** A UUID of (execution, operator identity): a repeat is the same row. */
  readonly dispatch_id: string;
  readonly execution_id: string;
  readonly binding_id: string;
  /** As frozen in the binding: `{uid}`, or `{digest, body}` of an inline one (§3.3). */
  readonly operator: JsonObject;
  /** Fields of templates, frozen when the execution settled (§7.2): never evidence, never a secret. */
  readonly context: DispatchContext;
  readonly status: DispatchStatus;
  readonly attempts: number;
  readonly created_at: number;
  /** When it may be claimed; of a running one, the end of its lease. */
  readonly due_at: number;
  /** Of the last attempt that did not deliver. */
  readonly error: DispatchErrorCode | null;
}

export type NewDispatch = Pick<
  Dispatch,
  'dispatch_id' | 'execution_id' | 'binding_id' | 'operator' | 'context' | 'created_at'
>;

/** By the names of §7.2; what does not apply is absent. */
export type DispatchContext = Readonly<Record<string, string | number>>;

export type DispatchEnd =
  | { readonly status: 'delivered' }
  | { readonly status: 'failed'; readonly error: DispatchErrorCode }
  | { readonly status: 'retrying'; readonly error: DispatchErrorCode; readonly due_at: number };

/** Where a dispatch is found: beside its execution. */
export type DispatchPlace = Pick<Dispatch, 'execution_id' | 'dispatch_id'>;

/** As `Due.id` names a dispatch. An execution id is a UUID: 36 characters. */
export function dispatchDueId({ execution_id, dispatch_id }: DispatchPlace): string {
  return `${execution_id}#${dispatch_id}`;
}

export function dispatchOfDueId(id: string): DispatchPlace {
  return { execution_id: id.slice(0, 36), dispatch_id: id.slice(37) };
}

/** They are made with the settled state of their execution (`Settled.consequences`). */
export interface Dispatches {
  ofExecution(tenant: string, executionId: string): Promise<readonly Dispatch[]>;
  /**
   * `pending` or `retrying` and due, or `running` with a lapsed lease: becomes `running` and its attempts are counted up.
   * Null: somebody else has it, or it has ended.
   */
  claim(
    tenant: string,
    place: DispatchPlace,
    claim: { readonly lease: string; readonly now: number; readonly lease_until: number },
  ): Promise<Dispatch | null>;
  /** `running` under this lease: ends, or waits for the next attempt. False: nothing was written. */
  end(tenant: string, place: DispatchPlace, lease: string, end: DispatchEnd): Promise<boolean>;
}
