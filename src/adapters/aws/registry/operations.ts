import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { updateIf } from '../dynamo/conditional-write.ts';
import { getItem } from '../dynamo/reads.ts';
import { operationKey } from '../keys.ts';
import type { Item } from '../store-call.ts';

/**
 * Large declarations are written under an operation row, and exist for readers once that row is `active` (docs/spec/wire.md
 * §4.4). From `writing` it becomes either `active` or `abandoned`, and stays so.
 */
export interface Operations {
  /** Whether a row exists for readers: it has no operation, or one that is active. */
  isVisible(tenant: string, row: Item): Promise<boolean>;
  /** Ends an operation that was not made active. False: it is active, or its writer may still be at work at `now`. */
  abandon(tenant: string, id: string, now: number): Promise<boolean>;
}

/** Milliseconds that a writer may take; after them others may end its operation. */
export const operationLeaseMs = 15 * 60_000;

/** Admits an operation whose writer is gone. `state` is a reserved word. */
const isLapsed = '#state = :writing AND lease_until < :now';

export function dynamoOperations(dynamo: DynamoDBDocumentClient, table: string): Operations {
  // Active stays active: known ones are never asked for again. There are as many as large declarations.
  const active = new Set<string>();
  return {
    async isVisible(tenant, row) {
      if (row.operation === undefined) return true;
      const { pk, sk } = operationKey(tenant, String(row.operation));
      if (active.has(pk)) return true;
      const operation = await getItem(dynamo, table, { pk, sk }, ['state']);
      if (operation?.state !== 'active') return false;
      active.add(pk);
      return true;
    },
    async abandon(tenant, id, now) {
      const written = await updateIf(dynamo, {
        table,
        key: operationKey(tenant, id),
        set: '#state = :abandoned',
        condition: isLapsed,
        names: { '#state': 'state' },
        values: { ':abandoned': 'abandoned', ':writing': 'writing', ':now': now },
      });
      return written.done || written.item === null || written.item.state === 'abandoned';
    },
  };
}
