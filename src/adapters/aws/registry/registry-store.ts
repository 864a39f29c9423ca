import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Clock } from '#service/ports.ts';
import type { SessionStore } from '../idempotency.ts';
import type { Remembered } from '../remembered.ts';
import type { Values } from '../values.ts';
import type { Operations } from './operations.ts';

/** What every part of the registry works with. */
export interface RegistryStore {
  readonly dynamo: DynamoDBDocumentClient;
  readonly table: string;
  /** The table of schedules and baselines, which begin with the declaration of what needs them. */
  readonly backgroundTable: string;
  readonly values: Values;
  /** Where the rows of idempotency and uploads are, which a declaration writes too. */
  readonly sessions: SessionStore;
  readonly operations: Operations;
  /** Documents of Cards and bindings, which never change. */
  readonly remembered: Remembered;
  readonly clock: Clock;
}
