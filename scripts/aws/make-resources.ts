import { CreateTableCommand, type CreateTableCommandInput, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { CreateKeyCommand } from '@aws-sdk/client-kms';
import { CreateBucketCommand, PutBucketVersioningCommand } from '@aws-sdk/client-s3';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { CreateStateMachineCommand } from '@aws-sdk/client-sfn';
import {
  type AwsEnvironment,
  bucketKeys,
  environmentNames,
  tableKeys,
  tokenKeysSecretTemplate,
} from '#contract/aws-names.ts';
import {
  bucketDefinitions,
  type IndexDefinition,
  type TableDefinition,
  tableDefinitions,
} from '#contract/aws-tables.ts';
import type { SigningClients } from './signing-ports.ts';

export interface MadeResources {
  readonly environment: AwsEnvironment;
}

/**
 * Makes the tables, buckets, secret, signing key and a state machine that does nothing, named with `prefix`, by plain calls: for
 * tests of the adapters, which need no deployment. `lapse`: whether the store removes rows by their age.
 */
export async function makeResources(clients: SigningClients, prefix: string, lapse = false): Promise<MadeResources> {
  await Promise.all(
    tableKeys.map(async (key) => {
      const definition = tableDefinitions[key];
      await clients.dynamo.send(new CreateTableCommand(toTable(`${prefix}-${key}`, definition)));
      if (lapse && definition.ttlAttribute !== null) {
        const TimeToLiveSpecification = { Enabled: true, AttributeName: definition.ttlAttribute };
        await clients.dynamo.send(
          new UpdateTimeToLiveCommand({ TableName: `${prefix}-${key}`, TimeToLiveSpecification }),
        );
      }
    }),
  );
  for (const key of bucketKeys) {
    const Bucket = `${prefix}-${key}`;
    await clients.s3.send(new CreateBucketCommand({ Bucket }));
    if (bucketDefinitions[key].versioned) {
      await clients.s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
    }
  }
  const secret = await clients.secrets.send(
    new CreateSecretCommand({
      Name: `${prefix}-token-keys`,
      SecretString: JSON.stringify({ ...tokenKeysSecretTemplate, secret: 'k'.repeat(64) }),
    }),
  );
  const machine = await clients.sfn.send(
    new CreateStateMachineCommand({
      name: `${prefix}-attempt`,
      roleArn: 'arn:aws:iam::000000000000:role/none',
      definition: JSON.stringify({ StartAt: 'Wait', States: { Wait: { Type: 'Wait', Seconds: 2, End: true } } }),
    }),
  );
  const key = await clients.kms.send(new CreateKeyCommand({ KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' }));
  const connectionsKey = await clients.kms.send(new CreateKeyCommand({}));
  return {
    environment: {
      [environmentNames.tables.registry]: `${prefix}-registry`,
      [environmentNames.tables.executions]: `${prefix}-executions`,
      [environmentNames.tables.sessions]: `${prefix}-sessions`,
      [environmentNames.tables.keys]: `${prefix}-keys`,
      [environmentNames.tables.records]: `${prefix}-records`,
      [environmentNames.tables.background]: `${prefix}-background`,
      [environmentNames.buckets.evidence]: `${prefix}-evidence`,
      [environmentNames.buckets.values]: `${prefix}-values`,
      [environmentNames.buckets.records]: `${prefix}-records`,
      [environmentNames.signingKey]: key.KeyMetadata?.Arn ?? '',
      [environmentNames.connectionsKey]: connectionsKey.KeyMetadata?.Arn ?? '',
      [environmentNames.tokenKeysSecret]: secret.ARN ?? '',
      [environmentNames.attemptMachine]: machine.stateMachineArn ?? '',
      [environmentNames.traceSettlingSeconds]: 0,
      [environmentNames.windowPartRows]: 100,
      [environmentNames.retentionDays]: 400,
      [environmentNames.activitySeconds]: 86_400,
      [environmentNames.legalHold]: false,
    },
  };
}

function toTable(TableName: string, definition: TableDefinition): CreateTableCommandInput {
  const schemas = [definition, ...definition.indexes];
  const attributes = new Set(schemas.flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey ?? partitionKey]));
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [...attributes].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: toKeySchema(definition),
    ...(definition.indexes.length > 0 ? { GlobalSecondaryIndexes: definition.indexes.map(toIndex) } : {}),
  };
}

function toIndex(index: IndexDefinition) {
  const { name, projection } = index;
  return { IndexName: name, KeySchema: toKeySchema(index), Projection: toProjection(projection) };
}

function toProjection(projection: IndexDefinition['projection']) {
  if (projection === 'all') return { ProjectionType: 'ALL' as const };
  if (projection.length === 0) return { ProjectionType: 'KEYS_ONLY' as const };
  return { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...projection] };
}

function toKeySchema({ partitionKey, sortKey }: { readonly partitionKey: string; readonly sortKey: string | null }) {
  const partition = { AttributeName: partitionKey, KeyType: 'HASH' as const };
  return sortKey === null ? [partition] : [partition, { AttributeName: sortKey, KeyType: 'RANGE' as const }];
}
