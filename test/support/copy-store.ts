import { GetObjectCommand, PutObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { bucketKeys, environmentNames, tableKeys } from '#contract/aws-names.ts';
import { type AwsStore, freshAwsStore } from './aws-store.ts';

/**
 * Tables and buckets as they are now, restored under other names as AWS restores them; keys, secrets and the state machine
 * are the same ones.
 */
export async function copyStore({ environment, clients }: AwsStore): Promise<AwsStore> {
  const fresh = await freshAwsStore();
  const nameIn = (of: AwsStore['environment'], variable: string) => String(of[variable as keyof typeof of]);
  for (const key of tableKeys) {
    const variable = environmentNames.tables[key];
    const TableName = nameIn(fresh.environment, variable);
    const from = { TableName: nameIn(environment, variable) };
    for await (const { Items } of paginateScan({ client: clients.dynamo }, from)) {
      for (const Item of Items ?? []) await clients.dynamo.send(new PutCommand({ TableName, Item }));
    }
  }
  for (const key of bucketKeys) {
    const variable = environmentNames.buckets[key];
    const from = { Bucket: nameIn(environment, variable) };
    for await (const { Contents } of paginateListObjectsV2({ client: clients.s3 }, from)) {
      for (const { Key } of Contents ?? []) {
        const { Body, Metadata } = await clients.s3.send(new GetObjectCommand({ ...from, Key }));
        const Bucket = nameIn(fresh.environment, variable);
        const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
        const kept = Metadata === undefined ? {} : { Metadata };
        await clients.s3.send(new PutObjectCommand({ Bucket, Key, Body: bytes, ...kept }));
      }
    }
  }
  const restored = [...Object.values(environmentNames.tables), ...Object.values(environmentNames.buckets)];
  const names = Object.fromEntries(restored.map((variable) => [variable, nameIn(fresh.environment, variable)]));
  return { ...fresh, environment: { ...environment, ...names } };
}
