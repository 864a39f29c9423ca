import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { putIf } from '../dynamo/conditional-write.ts';
import { loggedTenantKey } from '../keys.ts';

/** Notes tenants that have records, once a process and tenant: their logs are closed each hour. */
export function loggedTenants(dynamo: DynamoDBDocumentClient, table: string): (tenant: string) => Promise<void> {
  const noted = new Set<string>();
  return async (tenant) => {
    if (noted.has(tenant)) return;
    await putIf(dynamo, { table, item: loggedTenantKey(tenant), condition: 'attribute_not_exists(pk)' });
    noted.add(tenant);
  };
}
