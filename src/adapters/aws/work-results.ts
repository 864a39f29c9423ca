import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { valuePrefixes } from '#contract/aws-names.ts';
import type { StoredWorkResult, WorkResults } from '#service/ports/attempts.ts';
import { writeAll } from './dynamo/batches.ts';
import { putIf } from './dynamo/conditional-write.ts';
import { rowsOf } from './dynamo/reads.ts';
import type { SessionStore } from './idempotency.ts';
import { workKey, workPartition, workPrefix, workSequenceKey } from './keys.ts';
import { storeCall } from './store-call.ts';

/** What a run that nobody finished leaves is nobody's after two days. */
const rowLifeMs = 2 * 24 * 3_600_000;

/** Admits the first answer to a try; later ones are dropped. */
const isFirst = 'attribute_not_exists(pk)';

/** Answers to work in DynamoDB, kept while an attempt runs. `now` is in milliseconds. */
export function dynamoWorkResults({ dynamo, table, values }: SessionStore, now: () => number): WorkResults {
  const expiry = () => Math.ceil((now() + rowLifeMs) / 1_000);
  /**
   * The order of answers: a number taken before the answer is stored. Work that waits for an answer takes its own after
   * that answer was durable, so a cause is always before its effect, whatever the clocks of the workers say.
   */
  const nextPosition = async (tenant: string, executionId: string): Promise<number> => {
    const { Attributes } = await storeCall('order of work', () =>
      dynamo.send(
        new UpdateCommand({
          TableName: table,
          Key: workSequenceKey(tenant, executionId),
          UpdateExpression: 'SET expires_at = :expiry ADD #position :one',
          ExpressionAttributeNames: { '#position': 'position' },
          ExpressionAttributeValues: { ':one': 1, ':expiry': expiry() },
          ReturnValues: 'UPDATED_NEW',
        }),
      ),
    );
    return Number(Attributes?.position);
  };
  return {
    async put(tenant, place, settlement) {
      const { execution_id, attempt, work_id } = place;
      const owner = `${valuePrefixes.work}${tenant}/${execution_id}`;
      const [packed, position] = await Promise.all([
        values.pack(owner, { settlement: JSON.stringify(settlement) }),
        nextPosition(tenant, execution_id),
      ]);
      const key = workKey(tenant, execution_id, attempt, work_id, settlement.attempt);
      const item = { ...key, ...packed, work_id, position, expires_at: expiry() };
      await putIf(dynamo, { table, item, condition: isFirst });
    },
    async all(tenant, executionId, attempt) {
      const rows = await rowsOf(dynamo, table, workPartition(tenant, executionId), workPrefix(attempt));
      const inOrder = rows.sort((left, right) => Number(left.position) - Number(right.position));
      return Promise.all(
        inOrder.map(async (row) => ({
          work_id: String(row.work_id),
          settlement: JSON.parse((await values.unpack(row.settlement)) ?? '') as StoredWorkResult['settlement'],
        })),
      );
    },
    async clear(tenant, executionId) {
      const rows = await rowsOf(dynamo, table, workPartition(tenant, executionId));
      await writeAll(
        dynamo,
        table,
        rows.map(({ pk, sk }) => ({ delete: { pk, sk } })),
      );
    },
  };
}
