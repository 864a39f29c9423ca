import { LambdaClient } from '@aws-sdk/client-lambda';
import { eventDeliveries } from '#adapters/aws/event-deliveries.ts';
import { parquetFiles } from '#adapters/parquet/read-parquet.ts';
import { functionEnvironment } from '#contract/aws-functions.ts';
import { variable } from './environment.ts';
import { hostPorts, stores } from './host.ts';
import { waking } from './waking.ts';

/** What ringing a due row needs. Imported by the functions that ring, and by no other. */
export function ringPorts() {
  const lambda = new LambdaClient({ maxAttempts: 3 });
  return {
    ...stores,
    ...waking,
    compiledVerifiers: hostPorts().compiledVerifiers,
    parquet: parquetFiles,
    deliveries: eventDeliveries(lambda, variable(functionEnvironment.deliver)),
  };
}
