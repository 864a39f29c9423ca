import { z } from 'zod';

/**
 * Names that the stacks and the functions on AWS share, so that the two cannot drift. No AWS library is imported here.
 * Tables and their keys: aws-tables.ts, docs/decisions/tables.md.
 */

export const tableKeys = ['registry', 'executions', 'sessions', 'keys', 'records', 'background'] as const;
export type TableKey = (typeof tableKeys)[number];

export const bucketKeys = ['evidence', 'values', 'records'] as const;
export type BucketKey = (typeof bucketKeys)[number];

/** Secondary indexes. They are eventually consistent: they find rows, and never decide. */
export const indexes = {
  registry: { list: 'list' },
  executions: {
    list: 'list',
    verifier: 'verifier',
    subject: 'subject',
    binding: 'binding',
    group: 'group',
    run: 'run',
    open: 'open',
    due: 'due',
    log: 'log',
  },
  keys: { tenant: 'tenant' },
  background: { due: 'due' },
} as const;

/** Environment variables that a function gets from its stack. */
export const environmentNames = {
  tables: {
    registry: 'TOUCHSTONE_REGISTRY_TABLE',
    executions: 'TOUCHSTONE_EXECUTIONS_TABLE',
    sessions: 'TOUCHSTONE_SESSIONS_TABLE',
    keys: 'TOUCHSTONE_KEYS_TABLE',
    records: 'TOUCHSTONE_RECORDS_TABLE',
    background: 'TOUCHSTONE_BACKGROUND_TABLE',
  },
  buckets: {
    evidence: 'TOUCHSTONE_EVIDENCE_BUCKET',
    values: 'TOUCHSTONE_VALUES_BUCKET',
    records: 'TOUCHSTONE_RECORDS_BUCKET',
  },
  /** ARN of the key of KMS that is the root of the signatures on records. */
  signingKey: 'TOUCHSTONE_SIGNING_KEY',
  /** ARN of the secret that holds the keys of access tokens. */
  tokenKeysSecret: 'TOUCHSTONE_TOKEN_KEYS_SECRET',
  /** ARN of the state machine of one attempt; only for functions that start work. */
  attemptMachine: 'TOUCHSTONE_ATTEMPT_MACHINE',
  /** Where one-time schedules are made and what they wake, as JSON; only for functions that set alarms. */
  alarmTarget: 'TOUCHSTONE_ALARM_TARGET',
  /** ARN of the key of KMS that seals secrets of connections; only for functions that seal or open them. */
  connectionsKey: 'TOUCHSTONE_CONNECTIONS_KEY',
  /** Seconds without a new span after which a trace has landed. */
  traceSettlingSeconds: 'TOUCHSTONE_TRACE_SETTLING_SECONDS',
  /** Rows of a window that one function counts; larger ones are counted by several. */
  windowPartRows: 'TOUCHSTONE_WINDOW_PART_ROWS',
  /** Days that executions and their evidence are kept. */
  retentionDays: 'TOUCHSTONE_RETENTION_DAYS',
  /** Seconds for which an owner that exchanged its key is active. */
  activitySeconds: 'TOUCHSTONE_ACTIVITY_SECONDS',
  /** `true`: nothing is deleted, neither by age nor on request. */
  legalHold: 'TOUCHSTONE_LEGAL_HOLD',
} as const;

const name = z.string().min(1).max(2_048);

/** Names and ARNs. */
const alarmTargetText = z
  .string()
  .transform((text): unknown => JSON.parse(text))
  .pipe(z.strictObject({ group: name, function: name, role: name, deadLetters: name }));

/** What `awsPorts` reads from the environment of a function. Unknown variables are left alone. */
export const awsEnvironmentSchema = z.object({
  [environmentNames.tables.registry]: name,
  [environmentNames.tables.executions]: name,
  [environmentNames.tables.sessions]: name,
  [environmentNames.tables.keys]: name,
  [environmentNames.tables.records]: name,
  [environmentNames.tables.background]: name,
  [environmentNames.buckets.evidence]: name,
  [environmentNames.buckets.values]: name,
  [environmentNames.buckets.records]: name,
  [environmentNames.signingKey]: name,
  [environmentNames.tokenKeysSecret]: name,
  [environmentNames.attemptMachine]: name.optional(),
  [environmentNames.alarmTarget]: alarmTargetText.optional(),
  [environmentNames.connectionsKey]: name.optional(),
  [environmentNames.traceSettlingSeconds]: z.coerce.number().min(0).max(60).default(2),
  [environmentNames.windowPartRows]: z.coerce.number().int().min(100).max(1_000_000).default(200_000),
  [environmentNames.retentionDays]: z.coerce.number().int().min(1).max(36_500).default(400),
  [environmentNames.activitySeconds]: z.coerce.number().int().min(60).max(31_536_000).default(86_400),
  [environmentNames.legalHold]: z.stringbool().default(false),
});

export type AwsEnvironment = z.infer<typeof awsEnvironmentSchema>;

/** Prefixes below `values`; the bucket's expiry rules are made of them. */
export const valuePrefixes = {
  executions: 'executions/',
  cards: 'cards/',
  sessions: 'sessions/',
  work: 'work/',
  spool: 'spool/',
  traces: 'traces/',
  observations: 'observations/',
  /** What a checkpoint is about to add, until it is closed. */
  closings: 'closings/',
} as const;

/** CloudWatch metrics, all in one namespace, without a dimension for a tenant. */
export const metrics = {
  namespace: 'Touchstone',
  /** Results that wait in the spool because the store refused them; above zero for long needs a person. */
  spooledResults: 'SpooledResults',
  /** Store calls given up after all their retries; each caller of one was answered 503, or waits for another try. */
  storeFailures: 'StoreFailures',
  /** Executions that a sweep found overdue. */
  overdueExecutions: 'OverdueExecutions',
  /** Schedules, groups, deliveries and baselines that a sweep found due: their alarms had not rung them. */
  overdueRows: 'OverdueRows',
  /** Of those, the ones that a sweep could not ring: each stays due, or is due again when its lease lapses. */
  failedRows: 'FailedRows',
  /** Background executions that ended `errored`: no attempt is left, or none would help. */
  erroredExecutions: 'ErroredExecutions',
  /** Large declarations that were never made visible. */
  abandonedDeclarations: 'AbandonedDeclarations',
  /** Records without a signature for more than five minutes. */
  unsignedRecords: 'UnsignedRecords',
  /** Tenants whose hour could not be closed with a checkpoint. */
  unclosedLogs: 'UnclosedLogs',
  /** Tenants whose records and whose log differ. */
  differingLogs: 'DifferingLogs',
} as const;

/** The first value of the secret of token keys, as a stack generates it (`secret` is random text). */
export const tokenKeysSecretTemplate = { kid: 'first', created_at: 0 } as const;
export const tokenKeysSecretGenerated = 'secret';

/** Input of the state machine of one attempt. */
export interface AttemptInput {
  readonly tenant: string;
  readonly execution_id: string;
  /** 1 for the first; only the name of the machine's execution tells it apart from the one before. */
  readonly attempt: number;
}
