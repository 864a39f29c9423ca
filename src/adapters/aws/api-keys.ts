import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { indexes } from '#contract/aws-names.ts';
import type { ApiKey, ApiKeys } from '#service/ports/keys.ts';
import { storeFailure } from '#service/ports/store-failure.ts';
import { updateIf } from './dynamo/conditional-write.ts';
import { getItem, queryPages } from './dynamo/reads.ts';
import { transact } from './dynamo/transact.ts';
import { anyApiKeyKey, apiKeyKey } from './keys.ts';
import type { Item } from './store-call.ts';

/** Admits no id that was ever given. */
const isNew = 'attribute_not_exists(pk)';
/** Admits keys of this tenant alone. `tenant` and the others are no reserved words. */
const isOwn = 'tenant = :tenant';
/** Admits keys that were not revoked. */
const isValid = 'attribute_not_exists(revoked_at)';

/** API keys in a table of their own. A list may lag behind by moments; a revoked key is refused at once. */
export function dynamoApiKeys(dynamo: DynamoDBDocumentClient, table: string): ApiKeys {
  let known = false;
  return {
    async any() {
      // It stays true for ever, so it is asked until then.
      known ||= (await getItem(dynamo, table, anyApiKeyKey)) !== null;
      return known;
    },
    async find(keyId) {
      const item = await getItem(dynamo, table, apiKeyKey(keyId));
      return item && toApiKey(item);
    },
    async list(tenant) {
      const keys: ApiKey[] = [];
      const pages = queryPages(dynamo, {
        TableName: table,
        IndexName: indexes.keys.tenant,
        KeyConditionExpression: 'tenant = :tenant',
        ExpressionAttributeValues: { ':tenant': tenant },
        ScanIndexForward: false,
      });
      for await (const rows of pages) keys.push(...rows.map(toApiKey));
      return keys;
    },
    async create(key) {
      const refused = await transact(dynamo, [
        { Put: { TableName: table, Item: toItem(key), ConditionExpression: isNew } },
        { Put: { TableName: table, Item: anyApiKeyKey } },
      ]);
      if (refused.length > 0) throw storeFailure('this key id is taken', null);
    },
    async revoke(tenant, keyId, at) {
      const written = await updateIf(dynamo, {
        table,
        key: apiKeyKey(keyId),
        set: 'revoked_at = :at',
        condition: `${isOwn} AND ${isValid}`,
        values: { ':tenant': tenant, ':at': at },
      });
      return written.done;
    },
  };
}

function toItem(key: ApiKey): Item {
  const { tenant, revoked_at, ...fixed } = key;
  return {
    ...apiKeyKey(key.key_id),
    tenant,
    list_order: `${key.created_at}#${key.key_id}`,
    key: JSON.stringify(fixed),
    revoked_at: revoked_at ?? undefined,
  };
}

function toApiKey(item: Item): ApiKey {
  const fixed = JSON.parse(String(item.key)) as Omit<ApiKey, 'tenant' | 'revoked_at'>;
  return {
    ...fixed,
    tenant: String(item.tenant),
    revoked_at: item.revoked_at === undefined ? null : String(item.revoked_at),
  };
}
