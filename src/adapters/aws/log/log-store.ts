import type { S3Client } from '@aws-sdk/client-s3';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ExecutionStore } from '../executions.ts';

/** Where the log of records is kept (docs/decisions/records-storage.md). */
export interface LogStore {
  readonly dynamo: DynamoDBDocumentClient;
  readonly s3: S3Client;
  /** Table of records. */
  readonly table: string;
  /** Bucket of records: what is written there is never deleted. */
  readonly bucket: string;
  /** Bucket of values: what a checkpoint is about to add. */
  readonly valuesBucket: string;
  readonly executions: ExecutionStore;
}
