import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export interface AwsClients {
  readonly dynamo: DynamoDBDocumentClient;
  readonly s3: S3Client;
  readonly secrets: SecretsManagerClient;
}

export interface AwsClientOptions {
  readonly region?: string;
  /** Another address than AWS: an emulator. Buckets are then named in the path. */
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** Tries of one call, the first included. With the pauses between them a call ends well inside a request's minute. */
export const maxAttempts = 4;
/** Milliseconds of the calls that answer at once. The SDK itself would wait without end for an answer. */
export const quick = { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true };
const slow = { connectionTimeout: 1_000, requestTimeout: 30_000, throwOnRequestTimeout: true };

/** One client a service, made once a process: they hold the connections. Retries are the SDK's, bounded. */
export function makeAwsClients(options: AwsClientOptions = {}): AwsClients {
  const shared = { ...options, maxAttempts, retryMode: 'standard' as const };
  return {
    dynamo: DynamoDBDocumentClient.from(new DynamoDBClient({ ...shared, requestHandler: quick }), {
      marshallOptions: { removeUndefinedValues: true },
    }),
    s3: new S3Client({ ...shared, requestHandler: slow, forcePathStyle: options.endpoint !== undefined }),
    secrets: new SecretsManagerClient({ ...shared, requestHandler: quick }),
  };
}
