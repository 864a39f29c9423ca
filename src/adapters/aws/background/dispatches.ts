import {
  type Dispatch,
  type DispatchEnd,
  type DispatchErrorCode,
  type Dispatches,
  type DispatchPlace,
  type DispatchStatus,
  dispatchDueId,
  type NewDispatch,
} from '#service/ports/dispatches.ts';
import { updateIf } from '../dynamo/conditional-write.ts';
import { rowsOf } from '../dynamo/reads.ts';
import type { TransactItem } from '../dynamo/transact.ts';
import { dispatchesPartition, dispatchKey } from '../keys.ts';
import type { Item } from '../store-call.ts';
import { type BackgroundStore, dueAttributes, dueNames, dueValues, expiryOf, setDue } from './background-store.ts';

/** Dispatches in DynamoDB, beside each other in the partition of their execution. */
export function dynamoDispatches(store: BackgroundStore): Dispatches {
  const { dynamo, table } = store;
  return {
    async ofExecution(tenant, executionId) {
      return (await rowsOf(dynamo, table, dispatchesPartition(tenant, executionId))).map(toDispatch);
    },
    async claim(tenant, place, { lease, now, lease_until }) {
      const { done, item } = await updateIf(dynamo, {
        table,
        key: dispatchKey(tenant, place.execution_id, place.dispatch_id),
        set: `#status = :running, lease = :lease, ${setDue}`,
        add: 'attempts :one',
        condition: 'due_at <= :now',
        names: { '#status': 'status' },
        values: {
          ':running': 'running',
          ':lease': lease,
          ':one': 1,
          ':now': now,
          ...dueValues('dispatch', tenant, dispatchDueId(place), lease_until),
        },
      });
      return done ? toDispatch(item) : null;
    },
    end: (tenant, place, lease, end) => endDispatch(store, tenant, place, lease, end),
  };
}

async function endDispatch(
  { dynamo, table }: BackgroundStore,
  tenant: string,
  place: DispatchPlace,
  lease: string,
  end: DispatchEnd,
): Promise<boolean> {
  const isOver = end.status !== 'retrying';
  const { done } = await updateIf(dynamo, {
    table,
    key: dispatchKey(tenant, place.execution_id, place.dispatch_id),
    set: [
      '#status = :status',
      ...(isOver ? [] : [setDue]),
      ...(end.status === 'delivered' ? [] : ['last_error = :error']),
    ].join(', '),
    remove: ['lease', ...(isOver ? dueNames : []), ...(end.status === 'delivered' ? ['last_error'] : [])].join(', '),
    condition: '#status = :running AND lease = :lease',
    names: { '#status': 'status' },
    values: {
      ':status': end.status,
      ':running': 'running',
      ':lease': lease,
      ...(end.status === 'delivered' ? {} : { ':error': end.error }),
      ...(end.status === 'retrying' ? dueValues('dispatch', tenant, dispatchDueId(place), end.due_at) : {}),
    },
  });
  return done;
}

/** As part of the transaction that settles its execution. */
export function dispatchPut(store: BackgroundStore, tenant: string, dispatch: NewDispatch): TransactItem {
  const item = {
    ...dispatchKey(tenant, dispatch.execution_id, dispatch.dispatch_id),
    status: 'pending',
    attempts: 0,
    document: JSON.stringify(dispatch),
    expires_at: expiryOf(store, dispatch.created_at),
    ...dueAttributes('dispatch', tenant, dispatchDueId(dispatch), dispatch.created_at),
  };
  return { Put: { TableName: store.table, Item: item, ConditionExpression: 'attribute_not_exists(pk)' } };
}

function toDispatch(item: Item): Dispatch {
  const made = JSON.parse(String(item.document)) as NewDispatch;
  return {
    ...made,
    status: item.status as DispatchStatus,
    attempts: Number(item.attempts),
    due_at: item.due_at === undefined ? made.created_at : Number(item.due_at),
    error: (item.last_error as DispatchErrorCode | undefined) ?? null,
  };
}
