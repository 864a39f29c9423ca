import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DueKind } from '#service/ports/due.ts';
import { dueKey, dueOrder, dueShards, shardOf } from '../keys.ts';
import type { Item } from '../store-call.ts';

/** The table of groups, schedules, dispatches and connections. */
export interface BackgroundStore {
  readonly dynamo: DynamoDBDocumentClient;
  readonly table: string;
  /** Null under a legal hold: rows stay. */
  readonly retentionDays: number | null;
}

/** The place of a row in the due index: `due_at` decides, the two keys only find it. */
export function dueAttributes(kind: DueKind, tenant: string, id: string, at: number): Item {
  return {
    due_key: dueKey('due', shardOf(id, dueShards)),
    due_order: dueOrder(at, tenant, `${kind}#${id}`),
    due_at: at,
  };
}

export const dueNames = ['due_key', 'due_order', 'due_at'] as const;

/** `due_key = :due_key, …`, and its values. */
export const setDue = dueNames.map((name) => `${name} = :${name}`).join(', ');

export function dueValues(kind: DueKind, tenant: string, id: string, at: number): Item {
  const attributes = Object.entries(dueAttributes(kind, tenant, id, at));
  return Object.fromEntries(attributes.map(([name, value]) => [`:${name}`, value]));
}

/** When the row of something that is over may go, in seconds since the epoch. */
export function expiryOf(store: BackgroundStore, from: number): number | undefined {
  return store.retentionDays === null ? undefined : Math.floor(from / 1_000) + store.retentionDays * 86_400;
}
