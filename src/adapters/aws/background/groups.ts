import type { VerdictWord } from '#contract/result.ts';
import type { Execution } from '#service/ports/executions.ts';
import type { GroupPlace, GroupTouch } from '#service/ports/group-touch.ts';
import { type Group, type Groups, groupDueId, type HeadMove } from '#service/ports/groups.ts';
import { getItem, rowsFrom } from '../dynamo/reads.ts';
import { type TransactItem, transact } from '../dynamo/transact.ts';
import { groupKey, groupPartition, memberKey, memberPrefix } from '../keys.ts';
import type { Item } from '../store-call.ts';
import { type BackgroundStore, dueNames, dueValues, expiryOf, setDue } from './background-store.ts';
import { occurrencePut } from './occurrences.ts';

/** Puts of a new execution, as part of a transaction. */
export type AdmitItems = (tenant: string, execution: Execution) => Promise<TransactItem[]>;

/** Groups in DynamoDB: one item says when the group is due and what its newest judgment was, one each who is a member. */
export function dynamoGroups(store: BackgroundStore, admitItems: AdmitItems): Groups {
  const { dynamo, table } = store;
  return {
    async find(tenant, place) {
      const item = await getItem(dynamo, table, groupKey(tenant, place.binding_id, place.group_id));
      return item && toGroup(place, item);
    },
    async members(tenant, { binding_id, group_id }, limit) {
      const pk = groupPartition(tenant, binding_id, group_id);
      const rows = await rowsFrom(dynamo, table, { pk, sk: memberPrefix, prefix: memberPrefix, limit });
      return rows.map((row) => ({
        execution_id: String(row.sk).slice(memberPrefix.length),
        verifier_uid: String(row.verifier_uid),
      }));
    },
    async judge(tenant, place, dueAt, execution) {
      const clear: TransactItem = {
        Update: {
          TableName: table,
          Key: groupKey(tenant, place.binding_id, place.group_id),
          UpdateExpression: `REMOVE ${dueNames.join(', ')}`,
          ConditionExpression: 'due_at = :due',
          ExpressionAttributeValues: { ':due': dueAt },
        },
      };
      const occurrence = occurrencePut(store, tenant, place.binding_id, {
        at: new Date(dueAt).toISOString(),
        status: execution.status === 'errored' ? 'errored' : 'admitted',
        execution_id: execution.execution_id,
        group_id: place.group_id,
      });
      return (await transact(dynamo, [clear, occurrence, ...(await admitItems(tenant, execution))])).length === 0;
    },
  };
}

function toGroup({ binding_id, group_id }: GroupPlace, item: Item): Group {
  const head =
    item.head_execution === undefined
      ? null
      : { execution_id: String(item.head_execution), verdict: String(item.head_verdict) as VerdictWord };
  return { binding_id, group_id, due_at: item.due_at === undefined ? null : Number(item.due_at), head };
}

/** The items that make an execution a member. */
export function memberPut(store: BackgroundStore, tenant: string, { member, ...place }: GroupTouch): TransactItem {
  const item = {
    ...memberKey(tenant, place.binding_id, place.group_id, member.execution_id),
    verifier_uid: member.verifier_uid,
    // The first bytes of a UUIDv7 are its time.
    expires_at: expiryOf(store, Number.parseInt(member.execution_id.replaceAll('-', '').slice(0, 12), 16)),
  };
  return { Put: { TableName: store.table, Item: item } };
}

/** Makes the group due at that time; refused when it is due later already. */
export function dueUpdate({ table }: BackgroundStore, tenant: string, touch: GroupTouch, at: number): TransactItem {
  return {
    Update: {
      TableName: table,
      Key: groupKey(tenant, touch.binding_id, touch.group_id),
      UpdateExpression: `SET ${setDue}`,
      ConditionExpression: 'attribute_not_exists(due_at) OR due_at <= :due_at',
      ExpressionAttributeValues: dueValues('group', tenant, groupDueId(touch), at),
    },
  };
}

/** Makes this judgment the head of its group; refused when another one is by now. */
export function headUpdate(
  { table }: BackgroundStore,
  tenant: string,
  executionId: string,
  move: HeadMove,
): TransactItem {
  return {
    Update: {
      TableName: table,
      Key: groupKey(tenant, move.binding_id, move.group_id),
      UpdateExpression: 'SET head_execution = :execution, head_verdict = :verdict',
      ConditionExpression: move.before === null ? 'attribute_not_exists(head_execution)' : 'head_execution = :before',
      ExpressionAttributeValues: {
        ':execution': executionId,
        ':verdict': move.verdict,
        ...(move.before === null ? {} : { ':before': move.before }),
      },
    },
  };
}
