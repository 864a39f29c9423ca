import { setTimeout as sleep } from 'node:timers/promises';
import {
  BatchGetCommand,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  type DynamoDBDocumentClient,
} from '@aws-sdk/lib-dynamodb';
import { storeFailure } from '#service/ports/store-failure.ts';
import { type Item, storeCall } from '../store-call.ts';

/** Limits of one call, as DynamoDB has them. */
const getLimit = 100;
const writeLimit = 25;
/** Rounds that what was left unprocessed is asked for again. */
const maxRounds = 8;

/** The items that are there, in no order. Consistent. Keys must be different. */
export async function getAll(dynamo: DynamoDBDocumentClient, table: string, keys: readonly Item[]): Promise<Item[]> {
  const found: Item[] = [];
  await inRounds(chunksOf(keys, getLimit), async (chunk) => {
    const answer = await storeCall('batch get', () =>
      dynamo.send(new BatchGetCommand({ RequestItems: { [table]: { Keys: chunk, ConsistentRead: true } } })),
    );
    found.push(...(answer.Responses?.[table] ?? []));
    return answer.UnprocessedKeys?.[table]?.Keys ?? [];
  });
  return found;
}

type WriteRequest = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number];

type Write = { readonly put: Item } | { readonly delete: Item };

/** Unconditional writes, each durable when it resolves, not together. A repeat writes the same. */
export async function writeAll(dynamo: DynamoDBDocumentClient, table: string, writes: readonly Write[]): Promise<void> {
  const requests = writes.map(
    (write): WriteRequest =>
      'put' in write ? { PutRequest: { Item: write.put } } : { DeleteRequest: { Key: write.delete } },
  );
  await inRounds(chunksOf(requests, writeLimit), async (chunk) => {
    const answer = await storeCall('batch write', () =>
      dynamo.send(new BatchWriteCommand({ RequestItems: { [table]: chunk } })),
    );
    return answer.UnprocessedItems?.[table] ?? [];
  });
}

/** Sends each chunk, then what the service left of it: a call under pressure answers for a part only. */
async function inRounds<Entry>(chunks: readonly Entry[][], send: (chunk: Entry[]) => Promise<Entry[]>): Promise<void> {
  for (const chunk of chunks) {
    let left = chunk;
    for (let round = 1; left.length > 0; round += 1) {
      left = await send(left);
      if (left.length === 0) break;
      if (round === maxRounds) throw storeFailure('the store kept leaving a part of a batch undone', null);
      await sleep(Math.random() * 20 * 2 ** round);
    }
  }
}

export function chunksOf<Entry>(entries: readonly Entry[], size: number): Entry[][] {
  const chunks: Entry[][] = [];
  for (let start = 0; start < entries.length; start += size) chunks.push(entries.slice(start, start + size));
  return chunks;
}
