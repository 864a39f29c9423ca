import { randomUUID } from 'node:crypto';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { errorName, type Item, toStoreFailure } from '../store-call.ts';
import type { TransactItem } from './transact.ts';

/** What became of a conditional write: the item after it, or the item that refused it (null: there is none). */
export type Written =
  | { readonly done: true; readonly item: Item }
  | { readonly done: false; readonly item: Item | null };

export interface ConditionalUpdate {
  readonly table: string;
  readonly key: Item;
  /** Assignments, as in `SET`. */
  readonly set: string;
  readonly remove?: string;
  readonly add?: string;
  readonly condition: string;
  readonly values: Item;
  readonly names?: Readonly<Record<string, string>>;
}

/** The update as part of a transaction, whose own token makes a repeat the same one. */
export function updateItem(asked: ConditionalUpdate): TransactItem {
  return {
    Update: {
      TableName: asked.table,
      Key: asked.key,
      UpdateExpression: expressionOf(asked),
      ConditionExpression: asked.condition,
      ExpressionAttributeValues: asked.values,
      ...(asked.names ? { ExpressionAttributeNames: { ...asked.names } } : {}),
    },
  };
}

function expressionOf({ set, remove, add }: ConditionalUpdate): string {
  return [`SET ${set}`, ...(remove ? [`REMOVE ${remove}`] : []), ...(add ? [`ADD ${add}`] : [])].join(' ');
}

/**
 * Updates when the condition holds. The item keeps a mark of this call: when the SDK sends it again because the answer was
 * lost, and the first one refuses the second, the mark tells that the write is ours and done.
 */
export async function updateIf(dynamo: DynamoDBDocumentClient, asked: ConditionalUpdate): Promise<Written> {
  const call = randomUUID();
  try {
    const { Attributes } = await dynamo.send(
      new UpdateCommand({
        TableName: asked.table,
        Key: asked.key,
        UpdateExpression: expressionOf({ ...asked, set: `${asked.set}, written_by = :call` }),
        ConditionExpression: asked.condition,
        ExpressionAttributeValues: { ...asked.values, ':call': call },
        ...(asked.names ? { ExpressionAttributeNames: { ...asked.names } } : {}),
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { done: true, item: Attributes ?? {} };
  } catch (error) {
    const item = refusingItem('update', error);
    return item?.written_by === call ? { done: true, item } : { done: false, item };
  }
}

export interface ConditionalPut {
  readonly table: string;
  readonly item: Item;
  readonly condition: string;
  readonly values?: Item;
}

/** Puts when the condition holds. False: an item is there that refuses it, perhaps the same one from a call before. */
export async function putIf(dynamo: DynamoDBDocumentClient, asked: ConditionalPut): Promise<boolean> {
  try {
    await dynamo.send(
      new PutCommand({
        TableName: asked.table,
        Item: asked.item,
        ConditionExpression: asked.condition,
        ...(asked.values ? { ExpressionAttributeValues: asked.values } : {}),
      }),
    );
    return true;
  } catch (error) {
    if (errorName(error) !== 'ConditionalCheckFailedException') throw toStoreFailure('put', error);
    return false;
  }
}

/** Deletes when the condition holds; nothing is said when it does not. */
export async function deleteIf(
  dynamo: DynamoDBDocumentClient,
  asked: { readonly table: string; readonly key: Item; readonly condition: string; readonly values: Item },
): Promise<void> {
  try {
    await dynamo.send(
      new DeleteCommand({
        TableName: asked.table,
        Key: asked.key,
        ConditionExpression: asked.condition,
        ExpressionAttributeValues: asked.values,
      }),
    );
  } catch (error) {
    if (errorName(error) !== 'ConditionalCheckFailedException') throw toStoreFailure('delete', error);
  }
}

/** The exception carries the item in the form of the wire, not of the document client. */
function refusingItem(what: string, error: unknown): Item | null {
  if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') throw toStoreFailure(what, error);
  const item = 'Item' in error ? (error.Item as Record<string, AttributeValue> | undefined) : undefined;
  return item === undefined ? null : unmarshall(item);
}
