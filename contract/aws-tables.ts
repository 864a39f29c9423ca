import { type BucketKey, indexes, type TableKey } from './aws-names.ts';

/**
 * The tables as both sides need them: the stacks make them, the adapters and their tests use them. Every attribute named
 * here is text. Why each key is as it is: docs/decisions/tables.md.
 */
export interface TableDefinition {
  readonly partitionKey: string;
  readonly sortKey: string | null;
  readonly indexes: readonly IndexDefinition[];
  /** Seconds since the epoch, as number; rows without it stay. */
  readonly ttlAttribute: string | null;
  /** New images. */
  readonly stream: boolean;
  readonly pointInTimeRecovery: boolean;
}

export interface IndexDefinition {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey: string;
  /** Attributes beside the keys; `all` is every attribute. */
  readonly projection: 'all' | readonly string[];
}

/** What a list shows of an execution; never its inputs or its result. */
const executionSummary = ['facts', 'status', 'verdict', 'error', 'ended_at', 'attempts'] as const;

const executionList = (name: string, partitionKey: string): IndexDefinition => ({
  name,
  partitionKey,
  sortKey: 'order_key',
  projection: executionSummary,
});

export const tableDefinitions: Readonly<Record<TableKey, TableDefinition>> = {
  registry: {
    partitionKey: 'pk',
    sortKey: 'sk',
    indexes: [{ name: indexes.registry.list, partitionKey: 'list_key', sortKey: 'list_order', projection: 'all' }],
    ttlAttribute: null,
    stream: false,
    pointInTimeRecovery: true,
  },
  executions: {
    partitionKey: 'pk',
    sortKey: 'sk',
    indexes: [
      executionList(indexes.executions.list, 'list_key'),
      executionList(indexes.executions.verifier, 'verifier_key'),
      executionList(indexes.executions.subject, 'subject_key'),
      executionList(indexes.executions.binding, 'binding_key'),
      executionList(indexes.executions.group, 'group_key'),
      executionList(indexes.executions.run, 'run_key'),
      { name: indexes.executions.open, partitionKey: 'open_key', sortKey: 'order_key', projection: [] },
      {
        name: indexes.executions.due,
        partitionKey: 'due_key',
        sortKey: 'due_order',
        projection: ['status', 'attempts'],
      },
      {
        name: indexes.executions.log,
        partitionKey: 'log_key',
        sortKey: 'log_order',
        projection: ['record_sha256', 'ended_at'],
      },
    ],
    ttlAttribute: 'expires_at',
    stream: true,
    pointInTimeRecovery: true,
  },
  sessions: {
    partitionKey: 'pk',
    sortKey: 'sk',
    indexes: [],
    ttlAttribute: 'expires_at',
    stream: false,
    pointInTimeRecovery: true,
  },
  keys: {
    partitionKey: 'pk',
    sortKey: null,
    indexes: [{ name: indexes.keys.tenant, partitionKey: 'tenant', sortKey: 'list_order', projection: 'all' }],
    ttlAttribute: null,
    stream: false,
    pointInTimeRecovery: true,
  },
  records: {
    partitionKey: 'pk',
    sortKey: 'sk',
    indexes: [],
    ttlAttribute: null,
    stream: false,
    pointInTimeRecovery: true,
  },
  background: {
    partitionKey: 'pk',
    sortKey: 'sk',
    indexes: [{ name: indexes.background.due, partitionKey: 'due_key', sortKey: 'due_order', projection: ['due_at'] }],
    ttlAttribute: 'expires_at',
    stream: false,
    pointInTimeRecovery: true,
  },
};

export interface BucketDefinition {
  readonly versioned: boolean;
  /** Whether clients outside reach it with signed links (then it needs a CORS rule for PUT and GET). */
  readonly signedLinks: boolean;
  /** Days until objects below a prefix are removed; `retentionPlus` adds to the deployment's setting (default 400). */
  readonly expiry: readonly { readonly prefix: string; readonly days: number | { readonly retentionPlus: number } }[];
}

/** Every bucket: no public access, TLS only, server-side encryption, unfinished multipart uploads removed after a day. */
export const bucketDefinitions: Readonly<Record<BucketKey, BucketDefinition>> = {
  evidence: { versioned: true, signedLinks: true, expiry: [{ prefix: '', days: { retentionPlus: 0 } }] },
  values: {
    versioned: true,
    signedLinks: false,
    expiry: [
      { prefix: 'work/', days: 3 },
      // A week more than the rows that name them, whose removal may be late.
      { prefix: 'executions/', days: { retentionPlus: 7 } },
      { prefix: 'sessions/', days: 10 },
      { prefix: 'traces/', days: { retentionPlus: 7 } },
      { prefix: 'observations/', days: { retentionPlus: 7 } },
    ],
  },
  // Records outlive everything else (docs/spec/records.md §5).
  records: { versioned: true, signedLinks: false, expiry: [] },
};
