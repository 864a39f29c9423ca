import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { valuePrefixes } from '#contract/aws-names.ts';
import type { Idempotency, IdempotencyRow } from '#service/ports/idempotency.ts';
import { getItem } from './dynamo/reads.ts';
import type { TransactItem } from './dynamo/transact.ts';
import { idempotencyKey } from './keys.ts';
import type { Values } from './values.ts';

/** Milliseconds that a key is kept (docs/spec/background.md §2.3). */
const keyLifeMs = 7 * 24 * 3_600_000;

export interface SessionStore {
  readonly dynamo: DynamoDBDocumentClient;
  readonly table: string;
  readonly values: Values;
}

/** Keys in DynamoDB. The rows are written by the transactions whose effects they stand for. */
export function dynamoIdempotency({ dynamo, table, values }: SessionStore): Idempotency {
  return {
    async find(tenant, scope, notBefore) {
      const item = await getItem(dynamo, table, idempotencyKey(tenant, scope));
      // The store removes lapsed rows late, so their age is looked at.
      if (!item || Number(item.created_at) < notBefore) return null;
      return {
        ...scope,
        body_sha256: String(item.body_sha256),
        answer: (await values.unpack(item.answer)) ?? '',
        created_at: Number(item.created_at),
      };
    },
  };
}

/** Admits a key that nobody used. */
const isFree = 'attribute_not_exists(pk)';
/** Admits a key whose life is over, though its row is still there. */
const isLapsed = 'created_at < :lapsed';
/** Admits the same call again: two processes that decide one declaration at the same time come to the same Cards. */
const isSameBody = 'body_sha256 = :body';

/** The key's row as part of a transaction. `repeatable`: the same body may overwrite it. */
export async function idempotencyPut(
  { table, values }: SessionStore,
  tenant: string,
  row: IdempotencyRow,
  { repeatable }: { readonly repeatable: boolean },
): Promise<TransactItem> {
  const key = idempotencyKey(tenant, row);
  const { answer } = await values.pack(`${valuePrefixes.sessions}${key.pk.replaceAll('#', '/')}`, {
    answer: row.answer,
  });
  const { body_sha256, created_at } = row;
  return {
    Put: {
      TableName: table,
      Item: { ...key, body_sha256, answer, created_at, expires_at: Math.ceil((created_at + keyLifeMs) / 1_000) },
      ConditionExpression: [isFree, isLapsed, ...(repeatable ? [isSameBody] : [])].join(' OR '),
      ExpressionAttributeValues: {
        ':lapsed': created_at - keyLifeMs,
        ...(repeatable ? { ':body': body_sha256 } : {}),
      },
    },
  };
}
