import { valuePrefixes } from '#contract/aws-names.ts';
import {
  type BaselinePlace,
  type BaselineState,
  type Baselines,
  baselineDueId,
  baselineFormat,
} from '#service/ports/baselines.ts';
import { updateIf } from '../dynamo/conditional-write.ts';
import { getItem } from '../dynamo/reads.ts';
import { baselineKey } from '../keys.ts';
import type { Item } from '../store-call.ts';
import type { Values } from '../values.ts';
import { type BackgroundStore, dueAttributes, dueNames, dueValues, setDue } from './background-store.ts';

const names = { '#status': 'status' };
const documentNames = { ...names, '#document': 'document' };

/** Baselines in DynamoDB; a large fit is in S3 before the write that says that it is ready. */
export function dynamoBaselines({ dynamo, table }: BackgroundStore, values: Values): Baselines {
  const key = (tenant: string, { verifier_uid, requirement }: BaselinePlace) =>
    baselineKey(tenant, verifier_uid, requirement);
  return {
    async find(tenant, place) {
      const item = await getItem(dynamo, table, key(tenant, place));
      if (item === null) return null;
      const document = await values.unpack(item.document);
      return { status: item.status, ...(document === null ? {} : JSON.parse(document)) } as BaselineState;
    },
    async begin(tenant, place, { lease, now, until }) {
      const { done } = await updateIf(dynamo, {
        table,
        key: key(tenant, place),
        set: `#status = :building, lease = :lease, ${setDue}`,
        condition: 'due_at <= :now',
        names,
        values: {
          ':building': 'building',
          ':lease': lease,
          ':now': now,
          ...dueValues('baseline', tenant, baselineDueId(place), until),
        },
      });
      return done;
    },
    async end(tenant, place, lease, ended) {
      const text = ended.status === 'ready' ? { fit: ended.fit, format: baselineFormat } : { reason: ended.reason };
      const owner = `${valuePrefixes.cards}${tenant}/baselines/${place.verifier_uid}`;
      const { document } = await values.pack(owner, { document: JSON.stringify(text) });
      const { done } = await updateIf(dynamo, {
        table,
        key: key(tenant, place),
        set: '#status = :status, #document = :document',
        remove: ['lease', ...dueNames].join(', '),
        condition: '#status = :building AND lease = :lease',
        names: documentNames,
        values: { ':status': ended.status, ':document': document, ':building': 'building', ':lease': lease },
      });
      return done;
    },
    async retry(tenant, place, at) {
      const { done } = await updateIf(dynamo, {
        table,
        key: key(tenant, place),
        set: `#status = :pending, ${setDue}`,
        remove: '#document',
        condition: '#status = :failed',
        names: documentNames,
        values: {
          ':pending': 'pending',
          ':failed': 'failed',
          ...dueValues('baseline', tenant, baselineDueId(place), at),
        },
      });
      return done;
    },
  };
}

/** The item of a baseline that begins with a declaration. */
export function baselineItem(tenant: string, place: BaselinePlace, dueAt: number): Item {
  return {
    ...baselineKey(tenant, place.verifier_uid, place.requirement),
    status: 'pending',
    ...dueAttributes('baseline', tenant, baselineDueId(place), dueAt),
  };
}
