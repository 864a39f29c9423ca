import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { DeliverCall } from '#contract/aws-functions.ts';
import type { Deliveries } from '#service/ports/deliver.ts';
import { storeCall } from './store-call.ts';

/** Hands an attempt to the function that delivers, and does not wait: a provider may take its half minute. */
export function eventDeliveries(lambda: LambdaClient, functionName: string): Deliveries {
  return {
    async start(tenant, { execution_id, dispatch_id }) {
      const call: DeliverCall = { tenant, execution_id, dispatch_id };
      const Payload = Buffer.from(JSON.stringify(call));
      await storeCall('delivery', () =>
        lambda.send(new InvokeCommand({ FunctionName: functionName, InvocationType: 'Event', Payload })),
      );
    },
  };
}
