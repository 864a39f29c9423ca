import { type Schedule, type Schedules, settlingMs } from '#service/ports/schedules.ts';
import { getItem } from '../dynamo/reads.ts';
import { type TransactItem, transact, transactionItems } from '../dynamo/transact.ts';
import { scheduleKey } from '../keys.ts';
import type { Item } from '../store-call.ts';
import { type BackgroundStore, dueAttributes, dueNames, dueValues, setDue } from './background-store.ts';
import type { AdmitItems } from './groups.ts';
import { occurrencePut, readOccurrences } from './occurrences.ts';

/** Schedules in DynamoDB: the item of a binding holds the occurrence that is waited for. */
export function dynamoSchedules(store: BackgroundStore, admitItems: AdmitItems): Schedules {
  const { dynamo, table } = store;
  return {
    async find(tenant, bindingId) {
      const item = await getItem(dynamo, table, scheduleKey(tenant, bindingId));
      return item?.next_at === undefined ? null : { binding_id: bindingId, next_at: Number(item.next_at) };
    },
    async advance(tenant, bindingId, { from, to, occurrences, execution }) {
      const move: TransactItem = {
        Update: {
          TableName: table,
          Key: scheduleKey(tenant, bindingId),
          UpdateExpression: to === null ? `REMOVE next_at, ${dueNames.join(', ')}` : `SET next_at = :to, ${setDue}`,
          ConditionExpression: 'next_at = :from',
          ExpressionAttributeValues: {
            ':from': from,
            ...(to === null ? {} : { ':to': to, ...dueValues('occurrence', tenant, bindingId, to + settlingMs) }),
          },
        },
      };
      const admitted = execution === null ? [] : await admitItems(tenant, execution);
      // The newest ones, of which the last is this execution's.
      const kept = occurrences.slice(-(transactionItems - 1 - admitted.length));
      const puts = kept.map((occurrence) => occurrencePut(store, tenant, bindingId, occurrence));
      return (await transact(dynamo, [move, ...puts, ...admitted])).length === 0;
    },
    occurrences: (tenant, bindingId) => readOccurrences(store, tenant, bindingId),
  };
}

/** The item of a schedule that begins with the declaration of its binding. */
export function scheduleItem(tenant: string, { binding_id, next_at }: Schedule): Item {
  return {
    ...scheduleKey(tenant, binding_id),
    next_at,
    ...dueAttributes('occurrence', tenant, binding_id, next_at + settlingMs),
  };
}
