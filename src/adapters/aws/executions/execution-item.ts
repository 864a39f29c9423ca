import { valuePrefixes } from '#contract/aws-names.ts';
import type { Execution, ExecutionSummary } from '#service/ports/executions.ts';
import { type ExecutionList, executionKey, executionListKey, executionOrder, listShards, shardOf } from '../keys.ts';
import type { Item } from '../store-call.ts';
import type { Values } from '../values.ts';
import { recordAttributes, toRecord } from './record-attributes.ts';

/** What never changes of an execution; one attribute. */
type Facts = Omit<ExecutionSummary, 'status' | 'verdict' | 'error' | 'attempts' | 'ended_at'>;

/** Where the long texts of an execution are kept. */
const executionOwner = (tenant: string, id: string) => `${valuePrefixes.executions}${tenant}/${id}`;

/** Inputs and result come at different times, so each has its own half of what an item may hold. */
const inlineBytes = 150_000;

export async function packResult(
  values: Values,
  tenant: string,
  id: string,
  { result, record }: Pick<Execution, 'result' | 'record'>,
): Promise<Item> {
  return values.pack(executionOwner(tenant, id), { result, record: record?.text ?? null }, inlineBytes);
}

/** The whole item of an execution; its long texts may be written to S3 first. */
export async function toExecutionItem(
  values: Values,
  tenant: string,
  execution: Execution,
  {
    retentionDays,
    now,
  }: {
    /** Null: kept without end. */ readonly retentionDays: number | null;
    readonly now: number;
  },
): Promise<Item> {
  const { request, result, record, status, verdict, error, attempts, ended_at, ...facts } = execution;
  const id = execution.execution_id;
  return {
    ...executionKey(tenant, id),
    ...listKeys(tenant, execution),
    facts: JSON.stringify(facts satisfies Facts),
    ...stateAttributes({ status, verdict, error, attempts, ended_at }),
    ...(await values.pack(executionOwner(tenant, id), { request: JSON.stringify(request) }, inlineBytes)),
    ...(await packResult(values, tenant, id, { result, record })),
    ...recordAttributes(tenant, id, record, now),
    expires_at:
      retentionDays === null
        ? undefined
        : Math.floor(Date.parse(execution.created_at) / 1_000) + retentionDays * 86_400,
  };
}

interface State {
  readonly status: Execution['status'];
  readonly verdict: Execution['verdict'];
  readonly error: Execution['error'];
  readonly attempts?: number | undefined;
  readonly ended_at: string | null;
}

function stateAttributes({ status, verdict, error, attempts, ended_at }: State): Item {
  return {
    status,
    verdict: verdict ?? undefined,
    error: error === null ? undefined : JSON.stringify(error),
    attempts,
    ended_at: ended_at ?? undefined,
  };
}

/** An execution is in every list that it has a value for; `undefined` leaves it out of an index. */
function listKeys(tenant: string, execution: Execution): Item {
  const shard = shardOf(execution.execution_id, listShards);
  const key = (list: ExecutionList, value: string | null) =>
    value === null ? undefined : executionListKey(tenant, list, value, shard);
  return {
    order_key: executionOrder(execution.created_at, execution.execution_id),
    list_key: key('list', ''),
    verifier_key: key('verifier', execution.verifier.name),
    subject_key: key('subject', execution.subject.name),
    binding_key: key('binding', execution.binding_id),
    group_key: key('group', execution.group_id),
    run_key: key('run', execution.run_id),
  };
}

/** From a row of the table or of an index. */
export function toSummary(item: Item): ExecutionSummary {
  return {
    ...(JSON.parse(String(item.facts)) as Facts),
    status: item.status as Execution['status'],
    verdict: (item.verdict as Execution['verdict'] | undefined) ?? null,
    error: item.error === undefined ? null : (JSON.parse(String(item.error)) as Execution['error']),
    ...(item.attempts === undefined ? {} : { attempts: Number(item.attempts) }),
    ended_at: item.ended_at === undefined ? null : String(item.ended_at),
  };
}

/** From a row of the table; reads what is kept in S3. */
export async function toExecution(values: Values, item: Item): Promise<Execution> {
  const [request, result, record] = await Promise.all([
    values.unpack(item.request),
    values.unpack(item.result),
    toRecord(values, item),
  ]);
  return { ...toSummary(item), request: JSON.parse(request ?? '{}') as Execution['request'], result, record };
}
