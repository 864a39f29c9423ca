import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { identified } from './compose/call-ids.ts';
import { stores } from './compose/host.ts';
import { log } from './compose/system.ts';
import { waking } from './compose/waking.ts';

const { workflow } = { ...stores, ...waking };

/** Starts what was just admitted: its first start may have been lost, and a second one changes nothing. */
export const handler = identified((event) => startAdmitted(event as DynamoDBStreamEvent));

async function startAdmitted(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  for (const record of event.Records) {
    try {
      const { tenant, execution_id } = admittedBy(record);
      await workflow.start(tenant, execution_id, 1);
    } catch (error) {
      log.warn('a start from the stream failed', { error: error instanceof Error ? error.name : 'unknown' });
      // A stream is read in order: what follows is read again with it.
      return { batchItemFailures: [{ itemIdentifier: record.dynamodb?.SequenceNumber ?? '' }] };
    }
  }
  return { batchItemFailures: [] };
}

/** The place in the due index, `<time>#<tenant>#<execution id>` (docs/decisions/tables.md). */
function admittedBy(record: DynamoDBRecord): { readonly tenant: string; readonly execution_id: string } {
  const [, tenant, execution_id] = (record.dynamodb?.NewImage?.due_order?.S ?? '').split('#');
  if (tenant === undefined || execution_id === undefined) throw new Error('a pending execution without its due place');
  return { tenant, execution_id };
}
