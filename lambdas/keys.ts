import { dynamoApiKeys } from '#adapters/aws/api-keys.ts';
import { makeAwsClients } from '#adapters/aws/clients.ts';
import { secretText } from '#adapters/aws/secret-text.ts';
import { functionEnvironment, keysCallSchema } from '#contract/aws-functions.ts';
import { environmentNames } from '#contract/aws-names.ts';
import { ensureFirstKey } from '#service/auth/first-key.ts';
import { createKey, listKeys, revokeKey } from '#service/auth/keys.ts';
import { answerCloudFormation, isCloudFormation } from './compose/answer-cloudformation.ts';
import { countMetric } from './compose/count-metric.ts';
import { countStoreFailures } from './compose/counted-stores.ts';
import { awsOptions, variable } from './compose/environment.ts';
import { clock } from './compose/system.ts';

const { dynamo, secrets } = makeAwsClients(awsOptions());
const keys = countStoreFailures(dynamoApiKeys(dynamo, variable(environmentNames.tables.keys)), countMetric);
const text = secretText(secrets, variable(functionEnvironment.adminKeySecret));
const ports = { keys, clock };

/** Makes the first key when CloudFormation asks; makes, lists and revokes keys for an operator who may call it. */
export async function handler(event: unknown): Promise<unknown> {
  if (isCloudFormation(event)) {
    return answerCloudFormation(event, async () => {
      // Deleting the service deletes no key: the data stack keeps them.
      if (event.RequestType === 'Delete') return { id: event.PhysicalResourceId };
      const made = await ensureFirstKey({ ...ports, text }, variable(functionEnvironment.adminTenant));
      return { id: made.key_id };
    });
  }
  const call = keysCallSchema.parse(event);
  if (call.action === 'list') return listKeys(ports, call.tenant);
  if (call.action === 'create') return createKey(ports, call);
  await revokeKey(ports, call.tenant, call.key_id);
  return { revoked: call.key_id };
}
