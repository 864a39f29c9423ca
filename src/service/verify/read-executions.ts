import { Problem } from '#contract/errors.ts';
import { isUuidV7 } from '#contract/ids.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { Principal } from '../auth/principal.ts';
import type { Dispatch, Dispatches } from '../ports/dispatches.ts';
import type { Execution, ExecutionFilter, ExecutionSummary, Executions } from '../ports/executions.ts';
import type { Page, PageRequest } from '../ports/page.ts';
import { showRecord, withRecord } from '../records/show-record.ts';
import { differenceOf } from './difference.ts';

/** One execution's state as JSON text (docs/spec/wire.md §6.6). Another tenant's id is an unknown one. */
export async function readExecution(
  ports: { readonly executions: Executions; readonly dispatches: Dispatches },
  principal: Principal,
  executionId: string,
): Promise<string> {
  const execution = await requireExecution(ports, principal, executionId);
  const [difference, dispatches] = await Promise.all([
    differenceFrom(ports, principal.tenant, execution),
    mayHaveDispatches(execution) ? ports.dispatches.ofExecution(principal.tenant, executionId) : [],
  ]);
  return stateText(execution, difference, dispatches.map(shownDispatch));
}

/** Refuses unknown ids, other tenants' and those that the caller may not see with one answer. */
export async function requireExecution(
  ports: { readonly executions: Executions },
  principal: Principal,
  executionId: string,
): Promise<Execution> {
  const execution = isUuidV7(executionId) ? await ports.executions.find(principal.tenant, executionId) : null;
  const verifierUid = execution?.verifier.uid ?? '';
  const hidden = principal.verifier_uids !== null && !principal.verifier_uids.includes(verifierUid);
  if (execution && !hidden) return execution;
  throw new Problem('WYRD_VERIFICATION_404_EXECUTION_NOT_FOUND', 'no such execution');
}

/** What a replay that compares changed, once both results are there. */
async function differenceFrom(
  { executions }: { readonly executions: Executions },
  tenant: string,
  { request, result }: Execution,
): Promise<readonly JsonObject[] | null> {
  if (request.replay_of === undefined || request.compare !== true || result === null) return null;
  const original = await executions.find(tenant, request.replay_of);
  return original?.result ? differenceOf(JSON.parse(original.result), JSON.parse(result)) : null;
}

/** They are made when work of a binding gets its verdict; no other state costs a look. */
function mayHaveDispatches({ status, binding_id }: Execution): boolean {
  return status === 'completed' && binding_id !== null;
}

/** Its Operator by identity: an inline one has a body that may be long. */
function shownDispatch({ dispatch_id, operator, status, error }: Dispatch): JsonObject {
  const { uid, digest } = operator;
  const shown = uid === undefined ? { digest: digest ?? null } : { uid };
  return { dispatch_id, operator: shown, status, error: error === null ? null : { code: error } };
}

/** The stored result is put in as it is: its bytes are what was answered, and what the record is over. */
function stateText(
  execution: Execution,
  difference: readonly JsonObject[] | null,
  dispatches: readonly JsonObject[],
): string {
  const record = execution.record === null ? null : showRecord(execution.record);
  const head = { execution_id: execution.execution_id, status: execution.status };
  const rest = {
    ...(shownError(execution) === null ? {} : { error: shownError(execution) }),
    ...(execution.attempts === undefined ? {} : { attempts: execution.attempts }),
    dispatches,
    ...(execution.group_id === null ? {} : { group_id: execution.group_id }),
    ...(execution.request.snapshot === undefined ? {} : { group: { sources: execution.request.snapshot } }),
    ...(execution.owner_card_uid === null ? {} : { owner_card_uid: execution.owner_card_uid }),
    ...(execution.request.replay_of === undefined ? {} : { replay_of: execution.request.replay_of }),
    ...(difference === null ? {} : { difference }),
    ...(record === null ? {} : { record }),
  };
  const text = execution.result === null || record === null ? execution.result : withRecord(execution.result, record);
  const result = text === null ? '' : `"result":${text},`;
  return `${JSON.stringify(head).slice(0, -1)},${result}${JSON.stringify(rest).slice(1)}`;
}

/** Only a failed execution has an error (docs/spec/wire.md §6.6); why one is `retrying` is the host's to know. */
function shownError({ status, error }: Pick<Execution, 'status' | 'error'>): Execution['error'] {
  return status === 'cancelled' || status === 'timed_out' || status === 'errored' ? error : null;
}

/** Executions newest first (docs/spec/wire.md §10). */
export async function listExecutions(
  ports: { readonly executions: Executions },
  principal: Principal,
  filter: ExecutionFilter,
  page: PageRequest,
): Promise<Page<JsonObject>> {
  const allowed = principal.verifier_uids === null ? {} : { verifier_uids: principal.verifier_uids };
  const found = await ports.executions.list(principal.tenant, { ...filter, ...allowed }, page);
  return { items: found.items.map(toItem), next: found.next };
}

function toItem(summary: ExecutionSummary): JsonObject {
  const item: [string, Json | null][] = [
    ['execution_id', summary.execution_id],
    ['status', summary.status],
    ['verdict', summary.verdict],
    ['origin', summary.origin],
    ['verifier', toJson(summary.verifier)],
    ['subject', toJson(summary.subject)],
    ['binding_id', summary.binding_id],
    ['group_id', summary.group_id],
    ['run_id', summary.run_id],
    ['created_at', summary.created_at],
    ['ended_at', summary.ended_at],
    ['error', shownError(summary)],
  ];
  return Object.fromEntries(item.filter((entry): entry is [string, Json] => entry[1] !== null));
}

function toJson(ref: Execution['verifier']): JsonObject {
  const entries = Object.entries(ref).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}
