import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import type { ExecutionRequest } from '#service/ports/executions.ts';
import type { Retention } from '#service/ports/retention.ts';
import { updateIf } from './dynamo/conditional-write.ts';
import { getItem } from './dynamo/reads.ts';
import { evidenceKey } from './evidence.ts';
import { openStates, statusName } from './executions/attempt-conditions.ts';
import type { ExecutionStore } from './executions.ts';
import { executionKey } from './keys.ts';
import type { LogStore } from './log/log-store.ts';
import { deleteObject } from './log/objects.ts';
import { storeCall } from './store-call.ts';

/** Age is the tables' and buckets' own to watch; what is deleted on request is deleted here. */
export function awsRetention(store: LogStore, evidenceBucket: string): Retention {
  const { dynamo, table } = store.executions;
  return {
    dropExecutions: async () => 0,
    dropRecorded: async () => 0,
    dropEvidence: async () => 0,
    async forget(tenant, id) {
      const key = executionKey(tenant, id);
      const item = await getItem(dynamo, table, key);
      if (item === null) return false;
      const request = await emptied(store.executions, item.request);
      const { done } = await updateIf(dynamo, {
        table,
        key,
        set: '#request = :request',
        remove: '#result',
        condition: 'attribute_exists(pk) AND NOT #status IN (:pending, :retrying, :running)',
        names: { ...statusName, '#request': 'request', '#result': 'result' },
        values: { ...openStates, ':request': { text: request } },
      });
      if (!done) return false;
      for (const packed of [item.request, item.result]) {
        const object = objectOf(packed);
        if (object !== null) await deleteObject(store.s3, store.valuesBucket, object);
      }
      return true;
    },
    async forgetEvidence(tenant, sha256) {
      const Key = evidenceKey(tenant, sha256);
      await storeCall('evidence', () => store.s3.send(new DeleteObjectCommand({ Bucket: evidenceBucket, Key })));
    },
  };
}

async function emptied({ values }: ExecutionStore, packed: unknown): Promise<string> {
  const request = JSON.parse((await values.unpack(packed)) ?? '{}') as ExecutionRequest;
  return JSON.stringify({ ...request, inputs: {}, not_stored: [] });
}

/** Where a long text is kept; null when it is inside its item. */
function objectOf(packed: unknown): string | null {
  const object = typeof packed === 'object' && packed !== null && 'object' in packed ? packed.object : null;
  return typeof object === 'string' ? object : null;
}
