import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { storeFailure } from '#service/ports/store-failure.ts';
import { errorName, toStoreFailure } from '../store-call.ts';

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Positions of the items whose condition did not hold; empty when everything was written. */
export type Refused = readonly number[];

export const transactionItems = 100;
/** A transaction holds 4 MB; keys, numbers and names are not counted exactly here. */
export const transactionBytes = 3_000_000;

const maxAttempts = 8;
/** Other transactions, or single writes, touched the same items or the same partition at this moment. */
const passing = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/**
 * All or nothing, under one request token: a try whose answer was lost and the next one are the same transaction. Tries
 * again when it met other writers; then a StoreFailure.
 */
export async function transact(dynamo: DynamoDBDocumentClient, items: readonly TransactItem[]): Promise<Refused> {
  const token = randomUUID();
  for (let attempt = 1; ; attempt += 1) {
    try {
      await dynamo.send(new TransactWriteCommand({ TransactItems: [...items], ClientRequestToken: token }));
      return [];
    } catch (error) {
      const reasons = cancellationReasons(error);
      const refused = reasons.flatMap((reason, index) => (reason === 'ConditionalCheckFailed' ? [index] : []));
      if (refused.length > 0) return refused;
      if (!isPassing(error, reasons)) throw toStoreFailure('transaction', error);
      if (attempt === maxAttempts) throw storeFailure('transaction: too many writers of the same items', error);
      await sleep(Math.random() * 20 * 2 ** attempt);
    }
  }
}

function isPassing(error: unknown, reasons: readonly string[]): boolean {
  if (errorName(error) === 'TransactionInProgressException') return true;
  const failed = reasons.filter((reason) => reason !== 'None');
  return failed.length > 0 && failed.every((reason) => passing.has(reason));
}

function cancellationReasons(error: unknown): readonly string[] {
  if (errorName(error) !== 'TransactionCanceledException') return [];
  const reasons = (error as { readonly CancellationReasons?: readonly { readonly Code?: string }[] })
    .CancellationReasons;
  return (reasons ?? []).map((reason) => reason.Code ?? 'None');
}
