import { createHash } from 'node:crypto';
import type { IdempotencyScope } from '#service/ports/idempotency.ts';
import type { CardName } from '#service/ports/registry.ts';

/**
 * Every key of every table (docs/decisions/tables.md). A tenant's name has no `#`, so what begins with `<tenant>#` is its
 * own; text of a caller comes in as a digest only.
 */

/** Parts of one list of executions: each takes its share of the writes. Readers ask all of them. */
export const listShards = 8;
/** Parts of the due index, of all tenants. */
export const dueShards = 16;

export type Key = { readonly pk: string; readonly sk: string };

export const cardPartition = (tenant: string, uid: string) => `${tenant}#card#${digest(uid)}`;
export const cardStateKey = (tenant: string, uid: string): Key => ({ pk: cardPartition(tenant, uid), sk: 'state' });
export const cardDocumentKey = (tenant: string, uid: string): Key => ({
  pk: cardPartition(tenant, uid),
  sk: 'document',
});
export const activationKey = (tenant: string, uid: string): Key => ({
  pk: cardPartition(tenant, uid),
  sk: 'activation',
});
export const ownedBindingPrefix = 'binding#';
export const ownedBindingKey = (tenant: string, owner: string, occurrence: string, verifier: string): Key => ({
  pk: cardPartition(tenant, owner),
  sk: `${ownedBindingPrefix}${occurrence}#${verifier}`,
});

export const namePartition = (tenant: string, { kind, space, name }: CardName) =>
  `${tenant}#name#${digest(JSON.stringify([kind, space, name]))}`;
export const liveVersionKey = (tenant: string, name: CardName, version: string): Key => ({
  pk: namePartition(tenant, name),
  sk: `live#${version}`,
});
export const pastVersionKey = (tenant: string, name: CardName, uid: string): Key => ({
  pk: namePartition(tenant, name),
  sk: `past#${uid}`,
});

export const bindingKey = (tenant: string, bindingId: string): Key => ({
  pk: `${tenant}#binding#${digest(bindingId)}`,
  sk: 'binding',
});
export const bindingListKey = (tenant: string) => `${tenant}#bindings`;
export const pairPartition = (tenant: string, verifier: string, subject: string) =>
  `${tenant}#pair#${digest(JSON.stringify([verifier, subject]))}`;

export const operationKey = (tenant: string, id: string): Key => ({ pk: `${tenant}#operation#${id}`, sk: 'operation' });
export const cardListKey = (tenant: string) => `${tenant}#cards`;
/** Open operations of all tenants: only large declarations under way, or left behind. */
export const operationListKey = 'operations';

export const executionKey = (tenant: string, id: string): Key => ({ pk: `${tenant}#${digest(id)}`, sk: 'execution' });

/** The total order of lists: by time, then id (docs/spec/wire.md §10.2). */
export const executionOrder = (createdAt: string, id: string) => `${createdAt}#${id}`;

export type ExecutionList = 'list' | 'verifier' | 'subject' | 'binding' | 'group' | 'run' | 'open' | 'log';

/** The partition of one part of a list; `value` is what all its executions share. */
export function executionListKey(tenant: string, list: ExecutionList, value: string, shard: number): string {
  return `${tenant}#${list}#${digest(value)}#${shard}`;
}

export const dueKey = (status: string, shard: number) => `${status}#${shard}`;
/** Milliseconds padded, so that text order is the order of time. */
export const dueOrder = (at: number, tenant: string, id: string) => `${dueTime(at)}#${tenant}#${id}`;
export const dueTime = (at: number) => String(Math.max(0, at)).padStart(15, '0');

export function shardOf(id: string, shards: number): number {
  return (createHash('sha256').update(id).digest()[0] ?? 0) % shards;
}

export const idempotencyKey = (tenant: string, { principal, method, path, key }: IdempotencyScope): Key => ({
  pk: `${tenant}#key#${digest(JSON.stringify([principal, method, path, key]))}`,
  sk: 'key',
});
export const uploadKey = (tenant: string, uploadId: string): Key => ({
  pk: `${tenant}#upload#${digest(uploadId)}`,
  sk: 'upload',
});
export const cardUploadsPartition = (tenant: string, cardUid: string) => `${tenant}#uploads-of#${digest(cardUid)}`;
export const workPartition = (tenant: string, executionId: string) => `${tenant}#work#${digest(executionId)}`;
export const workPrefix = (attempt: number) => `${String(attempt).padStart(4, '0')}#`;
export const workKey = (tenant: string, executionId: string, attempt: number, workId: string, tries: number): Key => ({
  pk: workPartition(tenant, executionId),
  sk: `${workPrefix(attempt)}${digest(workId)}#${tries}`,
});
export const workSequenceKey = (tenant: string, executionId: string): Key => ({
  pk: workPartition(tenant, executionId),
  sk: 'sequence',
});

export const rootKeysPartition = 'root-keys';
export const rootKeyKey = (kid: string): Key => ({ pk: rootKeysPartition, sk: kid });
/** Tenants that have records. */
export const loggedTenantsPartition = 'tenants';
export const loggedTenantKey = (tenant: string): Key => ({ pk: loggedTenantsPartition, sk: tenant });
export const logPartition = (tenant: string) => `${tenant}#log`;
/** Numbers padded, so that text order is their order. */
const padded = (number: number) => String(number).padStart(15, '0');
export const checkpointPrefix = 'checkpoint#';
export const checkpointKey = (tenant: string, number: number): Key => ({
  pk: logPartition(tenant),
  sk: `${checkpointPrefix}${padded(number)}`,
});
/** The first checkpoint of a size. */
export const sizePrefix = 'size#';
export const sizeKey = (tenant: string, size: number): Key => ({
  pk: logPartition(tenant),
  sk: `${sizePrefix}${padded(size)}`,
});
/** The object that holds the leaves from this one on. */
export const archivePrefix = 'archive#';
export const archiveKey = (tenant: string, first: number): Key => ({
  pk: logPartition(tenant),
  sk: `${archivePrefix}${padded(first)}`,
});
export const closingKey = (tenant: string): Key => ({ pk: logPartition(tenant), sk: 'closing' });
export const tileKeyOf = (tenant: string, level: number, position: number): Key => ({
  pk: `${tenant}#tile#${level}#${position}`,
  sk: 'tile',
});
export const leafKey = (tenant: string, executionId: string): Key => ({
  pk: `${tenant}#leaf#${digest(executionId)}`,
  sk: 'leaf',
});

/** Groups, schedules, dispatches and connections. */
export const groupPartition = (tenant: string, bindingId: string, groupId: string) =>
  `${tenant}#group#${digest(bindingId)}#${digest(groupId)}`;
export const groupKey = (tenant: string, bindingId: string, groupId: string): Key => ({
  pk: groupPartition(tenant, bindingId, groupId),
  sk: 'group',
});
export const memberPrefix = 'member#';
export const memberKey = (tenant: string, bindingId: string, groupId: string, executionId: string): Key => ({
  pk: groupPartition(tenant, bindingId, groupId),
  sk: `${memberPrefix}${executionId}`,
});
export const schedulePartition = (tenant: string, bindingId: string) => `${tenant}#schedule#${digest(bindingId)}`;
export const scheduleKey = (tenant: string, bindingId: string): Key => ({
  pk: schedulePartition(tenant, bindingId),
  sk: 'schedule',
});
export const occurrencePrefix = 'occurrence#';
/** `order`: text whose order is that of what came about. */
export const occurrenceKey = (tenant: string, bindingId: string, order: string): Key => ({
  pk: schedulePartition(tenant, bindingId),
  sk: `${occurrencePrefix}${order}`,
});
export const dispatchesPartition = (tenant: string, executionId: string) =>
  `${tenant}#dispatches#${digest(executionId)}`;
export const dispatchKey = (tenant: string, executionId: string, dispatchId: string): Key => ({
  pk: dispatchesPartition(tenant, executionId),
  sk: dispatchId,
});
export const baselineKey = (tenant: string, verifier: string, requirement: string): Key => ({
  pk: `${tenant}#baseline#${digest(verifier)}`,
  sk: digest(requirement),
});
export const tracePartition = (tenant: string, traceId: string) => `${tenant}#trace#${digest(traceId)}`;
export const traceKey = (tenant: string, traceId: string): Key => ({
  pk: tracePartition(tenant, traceId),
  sk: 'trace',
});
export const spanBatchPrefix = 'spans#';
export const spanBatchKey = (tenant: string, traceId: string, order: string): Key => ({
  pk: tracePartition(tenant, traceId),
  sk: `${spanBatchPrefix}${order}`,
});
/** Traces of a tenant by their last spans; a part of the due index that nothing is due in. */
export const traceListKey = (tenant: string) => `${tenant}#traces`;
/** Samples of one subject, in the order of their ingest. */
export const observationsPartition = (tenant: string, subject: string) => `${tenant}#observations#${digest(subject)}`;
export const observationsKey = (tenant: string, subject: string, at: number, batchId: string): Key => ({
  pk: observationsPartition(tenant, subject),
  sk: `${dueTime(at)}#${batchId}`,
});
export const observationBatchKey = (tenant: string, batchId: string): Key => ({
  pk: `${tenant}#observation-batch#${digest(batchId)}`,
  sk: 'batch',
});
/** Batches of a tenant by their ingest; a part of the due index that nothing is due in. */
export const observationListKey = (tenant: string) => `${tenant}#observations`;
export const connectionsPartition = (tenant: string) => `${tenant}#connections`;
export const connectionPrefix = 'connection#';
export const connectionKey = (tenant: string, connectionId: string): Key => ({
  pk: connectionsPartition(tenant),
  sk: `${connectionPrefix}${digest(connectionId)}`,
});
export const connectionNameKey = (tenant: string, provider: string, name: string): Key => ({
  pk: connectionsPartition(tenant),
  sk: `name#${digest(JSON.stringify([provider, name]))}`,
});

export const apiKeyKey = (keyId: string) => ({ pk: `key#${digest(keyId)}` });
export const anyApiKeyKey = { pk: 'any' };

/** Short text as it is, so that a person reading the table finds it; anything else by its digest. */
function digest(text: string): string {
  if (/^[A-Za-z0-9_.-]{1,64}$/.test(text)) return text;
  return `~${createHash('sha256').update(text).digest('hex')}`;
}
