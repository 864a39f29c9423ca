import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { type BucketKey, environmentNames, type TableKey } from '#contract/aws-names.ts';
import { tableDefinitions } from '#contract/aws-tables.ts';
import type { DataStack } from '../data-stack.ts';
import { acknowledge } from './acknowledge.ts';
import type { HouseFunction } from './house-function.ts';

/** What a function may do with the stores: exactly this, and nothing on what is not named. */
export interface StoreAccess {
  readonly tables: Readonly<Partial<Record<TableKey, 'read' | 'write'>>>;
  /** Prefixes of objects; `''` is all of the bucket. */
  readonly objects?: Readonly<
    Partial<Record<BucketKey, { readonly read?: readonly string[]; readonly write?: readonly string[] }>>
  >;
}

const readActions = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];
const writeActions = [
  ...readActions,
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
  'dynamodb:BatchWriteItem',
  'dynamodb:ConditionCheckItem',
];

/** Permissions and the environment variables that name what they are for, together, so that the two cannot drift. */
export function grantStores(target: HouseFunction, data: DataStack, access: StoreAccess): void {
  target.setEnvironment(storeEnvironment(data));
  for (const [key, right] of Object.entries(access.tables) as [TableKey, 'read' | 'write'][]) {
    target.allow(right === 'write' ? writeActions : readActions, tableArns(key, data.tables[key]));
  }
  for (const [key, { read = [], write = [] }] of objectEntries(access)) {
    acknowledgePrefixes(target, data, key, [...read, ...write]);
    const bucket = data.buckets[key];
    if (read.length > 0) target.allow(['s3:GetObject'], objectArns(bucket, read));
    if (write.length > 0) target.allow(['s3:PutObject', 's3:DeleteObject'], objectArns(bucket, write));
    // Without it an absent object would read as forbidden.
    target.allow(['s3:ListBucket'], [bucket.bucketArn]);
  }
}

function storeEnvironment(data: DataStack): Record<string, string> {
  const { tables, buckets } = environmentNames;
  return {
    ...Object.fromEntries(Object.entries(tables).map(([key, name]) => [name, data.tables[key as TableKey].tableName])),
    ...Object.fromEntries(
      Object.entries(buckets).map(([key, name]) => [name, data.buckets[key as BucketKey].bucketName]),
    ),
    [environmentNames.tokenKeysSecret]: data.tokenKeys.secretArn,
    [environmentNames.retentionDays]: String(data.retentionDays),
    [environmentNames.activitySeconds]: String(data.activitySeconds),
    [environmentNames.legalHold]: String(data.legalHold),
    [environmentNames.signingKey]: data.signingKey.keyArn,
  };
}

/** cdk-nag names a finding by the resource as the template has it: the name under which the other stack exports it. */
function acknowledgePrefixes(
  target: HouseFunction,
  data: DataStack,
  key: BucketKey,
  prefixes: readonly string[],
): void {
  const imported: unknown = data.resolve(data.exportValue(data.buckets[key].bucketArn));
  const name = typeof imported === 'object' && imported !== null ? Reflect.get(imported, 'Fn::ImportValue') : undefined;
  for (const prefix of prefixes) {
    acknowledge(target.role, {
      [`AwsSolutions-IAM5[Resource::${name}/${prefix}*]`]: 'Objects are made at run time; their prefix is named.',
    });
  }
}

function objectEntries(access: StoreAccess) {
  return Object.entries(access.objects ?? {}) as [BucketKey, { read?: readonly string[]; write?: readonly string[] }][];
}

/** The table and each of its indexes by name. */
function tableArns(key: TableKey, table: TableV2): string[] {
  return [table.tableArn, ...tableDefinitions[key].indexes.map(({ name }) => `${table.tableArn}/index/${name}`)];
}

function objectArns(bucket: Bucket, prefixes: readonly string[]): string[] {
  return prefixes.map((prefix) => bucket.arnForObjects(`${prefix}*`));
}
