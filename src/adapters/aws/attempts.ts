import { indexes } from '#contract/aws-names.ts';
import type { Attempts, Claimed } from '#service/ports/attempts.ts';
import { type Consequences, noConsequences } from '#service/ports/consequences.ts';
import { storeFailure } from '#service/ports/store-failure.ts';
import type { BackgroundStore } from './background/background-store.ts';
import { updateIf, updateItem, type Written } from './dynamo/conditional-write.ts';
import { countRows, getItem } from './dynamo/reads.ts';
import type { StoreClock } from './dynamo/store-clock.ts';
import { admitItems } from './executions/admit-items.ts';
import { cancelStep, claimStep, postponeStep, releaseStep, type Step, settleStep } from './executions/attempt-steps.ts';
import { packResult, toExecution } from './executions/execution-item.ts';
import { findOverdue } from './executions/overdue.ts';
import { recordAttributes } from './executions/record-attributes.ts';
import { writeWith } from './executions/write-with.ts';
import type { ExecutionStore } from './executions.ts';
import { idempotencyPut, type SessionStore } from './idempotency.ts';
import { executionKey, executionListKey, listShards } from './keys.ts';
import type { Item } from './store-call.ts';

/** A worker whose clock is further off than this must not judge what is due (docs/spec/background.md §11 row 17). */
const mostSkewMs = 5_000;

/**
 * Attempts in DynamoDB: the item of an execution carries its lease and its place in the due index, which is the outbox.
 * Every step is one conditional update.
 */
export function dynamoAttempts(
  store: ExecutionStore,
  sessions: SessionStore,
  background: BackgroundStore,
  clock: StoreClock,
): Attempts {
  const { dynamo, table, values } = store;
  const take = (tenant: string, id: string, step: Step) =>
    updateIf(dynamo, { table, key: executionKey(tenant, id), ...step });
  return {
    async admit(tenant, execution, idempotency, touches = []) {
      const [admitted, key] = await Promise.all([
        admitItems(store, tenant, execution),
        idempotencyPut(sessions, tenant, idempotency, { repeatable: false }),
      ]);
      const id = execution.execution_id;
      return (await writeWith(background, tenant, id, [...admitted, key], { touches })) ? 'admitted' : 'key_taken';
    },
    async unsettled(tenant) {
      const counts = Array.from({ length: listShards }, (_unused, shard) =>
        countRows(dynamo, {
          TableName: table,
          IndexName: indexes.executions.open,
          KeyConditionExpression: 'open_key = :partition',
          ExpressionAttributeValues: { ':partition': executionListKey(tenant, 'open', '', shard) },
        }),
      );
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    },
    async claim(tenant, id, claim) {
      await refuseWrongClock(store, clock, tenant, id);
      const { item } = await take(tenant, id, claimStep(tenant, id, claim));
      return item !== null && isHeldBy(item, claim.lease) ? toClaimed(store, item) : null;
    },
    async settle(tenant, id, lease, settled) {
      if (settled.record !== null) await store.noteTenant(tenant);
      const packed = await packResult(values, tenant, id, settled);
      const shown = recordAttributes(tenant, id, settled.record, store.now());
      const step = settleStep(lease, settled, { ...packed, ...shown });
      const { consequences = noConsequences } = settled;
      if (!bringsAbout(consequences)) return (await take(tenant, id, step)).done;
      const item = updateItem({ table, key: executionKey(tenant, id), ...step });
      return writeWith(background, tenant, id, [item], consequences);
    },
    async postpone(tenant, id, lease, retry) {
      return (await take(tenant, id, postponeStep(tenant, id, lease, retry))).done;
    },
    cancel: async (tenant, id, at) => toCancelled(await take(tenant, id, cancelStep(at))),
    async isStopped(tenant, id, lease) {
      return !isHeldBy(await getItem(dynamo, table, executionKey(tenant, id), ['status', 'lease']), lease);
    },
    overdue: (look) => findOverdue(dynamo, table, look),
    async release(tenant, id, release) {
      return (await take(tenant, id, releaseStep(tenant, id, release))).done;
    },
  };
}

function bringsAbout({ touches, dispatches, head }: Consequences): boolean {
  return touches.length > 0 || dispatches.length > 0 || head !== null;
}

function isHeldBy(item: Item | null, lease: string): boolean {
  return item?.status === 'running' && item.lease === lease;
}

async function toClaimed({ values }: ExecutionStore, item: Item): Promise<Claimed> {
  return {
    execution: await toExecution(values, item),
    attempt: Number(item.attempts),
    lease_until: Number(item.due_at),
  };
}

/** A cancelled execution keeps the lease it was running under. */
function toCancelled({ done, item }: Written): 'cancelled' | 'flagged' | 'settled' | 'unknown' {
  if (item === null) return 'unknown';
  if (!done) return 'settled';
  return item.lease === undefined ? 'cancelled' : 'flagged';
}

/**
 * Throws a StoreFailure: a worker that must not claim leaves the work to others. An answer that says so, and may have been
 * read late by a process that slept, is asked for again.
 */
async function refuseWrongClock(store: ExecutionStore, clock: StoreClock, tenant: string, id: string): Promise<void> {
  const isRight = () => Math.abs(clock.ahead() ?? Number.POSITIVE_INFINITY) <= mostSkewMs;
  if (isRight()) return;
  await getItem(store.dynamo, store.table, executionKey(tenant, id), ['status']);
  if (!isRight()) throw storeFailure(`this clock is ${clock.ahead()} ms ahead of the store's`, null);
}
