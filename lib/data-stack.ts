import { Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  HttpMethods,
  type IBucket,
  type LifecycleRule,
  ObjectLockRetention,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import {
  type BucketKey,
  bucketKeys,
  type TableKey,
  tableKeys,
  tokenKeysSecretGenerated,
  tokenKeysSecretTemplate,
} from '#contract/aws-names.ts';
import { bucketDefinitions, type IndexDefinition, tableDefinitions } from '#contract/aws-tables.ts';
import { callsPrefix } from '#contract/remote-calls.ts';
import { acknowledge } from './constructs/acknowledge.ts';
import { signingKey } from './constructs/signing-key.ts';
import type { Settings } from './settings.ts';

/**
 * Everything that outlives a deployment of the service: tables, buckets, keys and secrets. All of it is retained when
 * the stack is deleted, recoverable to a point in time or an earlier version, encrypted, and read over TLS only.
 */
export class DataStack extends Stack {
  readonly tables: Readonly<Record<TableKey, TableV2>>;
  readonly buckets: Readonly<Record<BucketKey, Bucket>>;
  /** Root key of signatures: P-256, never leaves KMS. */
  readonly signingKey: Key;
  /** Seals secrets of connections (docs/spec/background.md §8.2). */
  readonly connectionsKey: Key;
  readonly legalHold: boolean;
  readonly tokenKeys: Secret;
  readonly adminKey: Secret;
  readonly retentionDays: number;
  readonly activitySeconds: number;

  constructor(scope: Construct, id: string, settings: Settings, props: StackProps) {
    super(scope, id, {
      ...props,
      description: 'Touchstone: data that outlives the service',
      terminationProtection: true,
    });
    this.retentionDays = settings.retention_days;
    this.activitySeconds = settings.activity_seconds;
    const accessLogs = this.#accessLogs(settings);
    this.legalHold = settings.legal_hold;
    this.tables = fromKeys(tableKeys, (key) => this.#table(key));
    this.buckets = fromKeys(bucketKeys, (key) => this.#bucket(key, settings, accessLogs));
    this.signingKey = signingKey(this, settings);
    this.connectionsKey = new Key(this, 'ConnectionsKey', {
      description: 'Seals secrets of Operator connections',
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.tokenKeys = this.#secret('TokenKeys', 'Keys that sign access tokens', {
      secretStringTemplate: JSON.stringify(tokenKeysSecretTemplate),
      generateStringKey: tokenKeysSecretGenerated,
      passwordLength: 64,
      excludePunctuation: true,
    });
    // Its generated text is no key: the service stack replaces it when it is first deployed.
    this.adminKey = this.#secret('AdminKey', 'API key of the first administrator', { passwordLength: 16 });
  }

  #table(key: TableKey): TableV2 {
    const definition = tableDefinitions[key];
    return new TableV2(this, `${capital(key)}Table`, {
      partitionKey: { name: definition.partitionKey, type: AttributeType.STRING },
      ...(definition.sortKey === null ? {} : { sortKey: { name: definition.sortKey, type: AttributeType.STRING } }),
      billing: Billing.onDemand(),
      globalSecondaryIndexes: definition.indexes.map(toIndex),
      ...(this.#lapses(key) ? { timeToLiveAttribute: definition.ttlAttribute ?? '' } : {}),
      ...(definition.stream ? { dynamoStream: StreamViewType.NEW_IMAGE } : {}),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: definition.pointInTimeRecovery },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  /** A legal hold keeps executions; what is only for the moment lapses all the same. */
  #lapses(key: TableKey): boolean {
    return tableDefinitions[key].ttlAttribute !== null && !(this.legalHold && key === 'executions');
  }

  #bucket(key: BucketKey, settings: Settings, accessLogs: Bucket): Bucket {
    const { versioned, signedLinks, expiry } = bucketDefinitions[key];
    const rules = expiry.flatMap(({ prefix, days }) => {
      if (typeof days === 'number') return [expiryRule(prefix, days)];
      return settings.legal_hold ? [] : [expiryRule(prefix, settings.retention_days + days.retentionPlus)];
    });
    if (key === 'values') rules.push(expiryRule(callsPrefix, 1));
    return new Bucket(this, `${capital(key)}Bucket`, {
      ...privateBucket,
      versioned,
      lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(1) }, ...rules],
      serverAccessLogsBucket: accessLogs as IBucket,
      serverAccessLogsPrefix: `${key}/`,
      ...(signedLinks && settings.cors_origins.length > 0 ? { cors: [corsRule(settings.cors_origins)] } : {}),
      ...(key === 'records' ? objectLock(settings) : {}),
    });
  }

  #accessLogs(settings: Settings): Bucket {
    return new Bucket(this, 'AccessLogsBucket', {
      ...privateBucket,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      lifecycleRules: [{ expiration: Duration.days(settings.log_retention_days) }],
    });
  }

  #secret(id: string, description: string, generateSecretString: NonNullable<SecretGeneration>): Secret {
    const secret = new Secret(this, id, { description, generateSecretString, removalPolicy: RemovalPolicy.RETAIN });
    acknowledge(secret, {
      'AwsSolutions-SMG4':
        'Token keys are rotated by whoever issues a token, the one before stays valid; the administrator key by its owner.',
    });
    return secret;
  }
}

type SecretGeneration = ConstructorParameters<typeof Secret>[2] extends infer Props
  ? Props extends { generateSecretString?: infer Generation }
    ? Generation
    : never
  : never;

const privateBucket = {
  encryption: BucketEncryption.S3_MANAGED,
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  enforceSSL: true,
  minimumTLSVersion: 1.2,
  removalPolicy: RemovalPolicy.RETAIN,
} as const satisfies BucketProps;

function expiryRule(prefix: string, days: number): LifecycleRule {
  return {
    ...(prefix === '' ? {} : { prefix }),
    expiration: Duration.days(days),
    // What was deleted or written over can be brought back for a week.
    noncurrentVersionExpiration: Duration.days(7),
  };
}

function corsRule(origins: readonly string[]) {
  return {
    allowedMethods: [HttpMethods.PUT, HttpMethods.GET],
    allowedOrigins: [...origins],
    allowedHeaders: ['content-type', 'x-amz-checksum-sha256', 'idempotency-key'],
    maxAge: 3_600,
  };
}

/** docs/spec/records.md §5: records and checkpoints that nobody, the account's owner included, deletes before their time. */
function objectLock(settings: Settings): Pick<BucketProps, 'objectLockEnabled' | 'objectLockDefaultRetention'> {
  if (settings.object_lock === 'off') return {};
  const days = Duration.days(settings.object_lock_days);
  const retention =
    settings.object_lock === 'compliance' ? ObjectLockRetention.compliance(days) : ObjectLockRetention.governance(days);
  return { objectLockEnabled: true, objectLockDefaultRetention: retention };
}

function toIndex({ name, partitionKey, sortKey, projection }: IndexDefinition) {
  const keys = {
    indexName: name,
    partitionKey: { name: partitionKey, type: AttributeType.STRING },
    sortKey: { name: sortKey, type: AttributeType.STRING },
  };
  if (projection === 'all') return { ...keys, projectionType: ProjectionType.ALL };
  if (projection.length === 0) return { ...keys, projectionType: ProjectionType.KEYS_ONLY };
  return { ...keys, projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...projection] };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function fromKeys<Key extends string, Value>(
  keys: readonly Key[],
  make: (key: Key) => Value,
): Readonly<Record<Key, Value>> {
  return Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<Key, Value>;
}
