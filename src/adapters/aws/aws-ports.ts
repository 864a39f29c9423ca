import { type AwsEnvironment, environmentNames } from '#contract/aws-names.ts';
import type { Attempts, Workflow, WorkResults } from '#service/ports/attempts.ts';
import type { Deliveries } from '#service/ports/deliver.ts';
import type { Alarms } from '#service/ports/due.ts';
import type { HostPorts } from '#service/ports/host.ts';
import type { LargeWindows } from '#service/ports/large-windows.ts';
import { storeFailure } from '#service/ports/store-failure.ts';
import type { Clock, Evidence } from '#service/ports.ts';
import { dynamoApiKeys } from './api-keys.ts';
import { dynamoAttempts } from './attempts.ts';
import type { BackgroundStore } from './background/background-store.ts';
import { dynamoBaselines } from './background/baselines.ts';
import { dynamoConnections } from './background/connections.ts';
import { dynamoDispatches } from './background/dispatches.ts';
import { dynamoDueRows } from './background/due-rows.ts';
import { type AdmitItems, dynamoGroups } from './background/groups.ts';
import { dynamoObservations } from './background/observations.ts';
import { dynamoSchedules } from './background/schedules.ts';
import { bucketPieces } from './background/window-pieces.ts';
import { dynamoWindowRanges } from './background/window-rows.ts';
import { dynamoCheckpoints } from './checkpoints.ts';
import type { AwsClients } from './clients.ts';
import { watchStoreClock } from './dynamo/store-clock.ts';
import { bucketEvidence } from './evidence.ts';
import { admitItems } from './executions/admit-items.ts';
import { dynamoExecutions, type ExecutionStore } from './executions.ts';
import { dynamoIdempotency, type SessionStore } from './idempotency.ts';
import type { LogStore } from './log/log-store.ts';
import { loggedTenants } from './log/logged-tenants.ts';
import { dynamoRecords } from './records.ts';
import { dynamoOperations } from './registry/operations.ts';
import type { RegistryStore } from './registry/registry-store.ts';
import { sweepOperations } from './registry/sweep-operations.ts';
import { dynamoRegistry } from './registry.ts';
import { rememberTexts } from './remembered.ts';
import { awsRetention } from './retention.ts';
import { noSecretBox } from './secret-box.ts';
import { publishingSigner } from './signer.ts';
import { type PublishedKeys, publishedKeys } from './signing/published-keys.ts';
import { dynamoSpans } from './spans.ts';
import { bucketSpool } from './spool.ts';
import { secretTokenKeys } from './token-keys.ts';
import { bucketTransfers } from './transfers.ts';
import { dynamoUploads } from './uploads.ts';
import { bucketValues } from './values.ts';
import { dynamoWorkResults } from './work-results.ts';

type StoredPorts = Pick<
  HostPorts,
  | 'groups'
  | 'schedules'
  | 'dispatches'
  | 'dueRows'
  | 'connections'
  | 'secretBox'
  | 'deliveries'
  | 'alarms'
  | 'spans'
  | 'observations'
  | 'baselines'
  | 'records'
  | 'checkpoints'
  | 'retention'
  | 'retention_rules'
  | 'signer'
  | 'registry'
  | 'executions'
  | 'spool'
  | 'idempotency'
  | 'uploads'
  | 'transfers'
  | 'keys'
  | 'tokenKeys'
>;

/** The ports that AWS keeps, for a function to compose. */
export interface AwsPorts extends StoredPorts {
  readonly evidence: Evidence;
  readonly attempts: Attempts;
  readonly workResults: WorkResults;
  readonly workflow: Workflow;
  readonly largeWindows: LargeWindows;
  readonly publishedKeys: PublishedKeys;
  /** For `wakingPorts`. */
  readonly background: BackgroundStore;
  /** Removes what large declarations left that were never made visible. Answers how many there were. */
  readonly sweepOperations: () => Promise<number>;
}

/** Bytes of documents that a process keeps in memory. */
const rememberedBytes = 64 * 1024 * 1024;

/** Composes the adapters once a process. `clock` is the system's, or a test's. Nothing is called yet. */
export function awsPorts(clients: AwsClients, env: AwsEnvironment, clock: Clock): AwsPorts {
  const { tables, buckets } = environmentNames;
  const { dynamo, s3 } = clients;
  const now = () => clock.now();
  const values = bucketValues(s3, env[buckets.values]);
  const sessions: SessionStore = { dynamo, table: env[tables.sessions], values };
  const registryStore: RegistryStore = {
    dynamo,
    table: env[tables.registry],
    backgroundTable: env[tables.background],
    values,
    sessions,
    operations: dynamoOperations(dynamo, env[tables.registry]),
    remembered: rememberTexts(rememberedBytes),
    clock,
  };
  const registry = dynamoRegistry(registryStore);
  const executionStore: ExecutionStore = {
    dynamo,
    table: env[tables.executions],
    values,
    retentionDays: env[environmentNames.legalHold] ? null : env[environmentNames.retentionDays],
    noteTenant: loggedTenants(dynamo, env[tables.records]),
    now,
  };
  const logStore: LogStore = {
    dynamo,
    s3,
    table: env[tables.records],
    bucket: env[buckets.records],
    valuesBucket: env[buckets.values],
    executions: executionStore,
  };
  const background: BackgroundStore = {
    dynamo,
    table: env[tables.background],
    retentionDays: executionStore.retentionDays,
  };
  const nameOf = async (tenant: string, uid: string) => (await registry.byUid(tenant, uid))?.name ?? null;
  const published = publishedKeys(dynamo, env[tables.records], now);
  return {
    registry,
    executions: dynamoExecutions(executionStore, background, nameOf),
    ...backgroundPorts(background, executionStore),
    largeWindows: largeWindowsOf(clients, env, background),
    ...absent,
    background,
    records: dynamoRecords(logStore),
    checkpoints: dynamoCheckpoints(logStore),
    retention: awsRetention(logStore, env[buckets.evidence]),
    retention_rules: { days: env[environmentNames.retentionDays], legal_hold: env[environmentNames.legalHold] },
    publishedKeys: published,
    signer: publishingSigner(published),
    attempts: dynamoAttempts(executionStore, sessions, background, watchStoreClock(dynamo, Date.now)),
    workResults: dynamoWorkResults(sessions, now),
    spool: bucketSpool(s3, env[buckets.values]),
    idempotency: dynamoIdempotency(sessions),
    uploads: dynamoUploads(sessions),
    transfers: bucketTransfers(s3, env[buckets.evidence], env[buckets.values]),
    evidence: bucketEvidence(s3, env[buckets.evidence]),
    keys: dynamoApiKeys(dynamo, env[tables.keys]),
    tokenKeys: secretTokenKeys(clients.secrets, env[environmentNames.tokenKeysSecret], now),
    sweepOperations: () => sweepOperations(registryStore),
  };
}

function largeWindowsOf({ s3 }: AwsClients, env: AwsEnvironment, background: BackgroundStore): LargeWindows {
  const bucket = env[environmentNames.buckets.values];
  return {
    part_rows: env[environmentNames.windowPartRows],
    ranges: dynamoWindowRanges(background, bucketValues(s3, bucket)),
    pieces: bucketPieces(s3, bucket),
  };
}

function backgroundPorts(store: BackgroundStore, executions: ExecutionStore) {
  const admit: AdmitItems = (tenant, execution) => admitItems(executions, tenant, execution);
  return {
    groups: dynamoGroups(store, admit),
    schedules: dynamoSchedules(store, admit),
    dispatches: dynamoDispatches(store),
    dueRows: dynamoDueRows(store),
    connections: dynamoConnections(store),
    baselines: dynamoBaselines(store, executions.values),
    spans: dynamoSpans(store, executions.values),
    observations: dynamoObservations(store, executions.values),
  };
}

/** A function that starts no work has no state machine. */
const noWorkflow: Workflow = {
  async start() {
    throw storeFailure('this function has no state machine to start', null);
  },
};

/** A function that starts no deliveries leaves them to those that do. */
const noDeliveries: Deliveries = {
  async start() {
    throw storeFailure('this function starts no deliveries', null);
  },
};

/** A function that sets no alarms leaves all waking to the sweep. */
const noAlarms: Alarms = { set: async () => {} };

/** What a function has that is given none of them (lambdas/compose/waking.ts). */
const absent = { alarms: noAlarms, secretBox: noSecretBox, deliveries: noDeliveries, workflow: noWorkflow };
