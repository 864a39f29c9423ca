/**
 * The schema of the embedded store, one step an entry; `user_version` counts the steps done. A published step never
 * changes: a change is a new step.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE cards (
    tenant TEXT NOT NULL, uid TEXT NOT NULL, kind TEXT NOT NULL, space TEXT NOT NULL, name TEXT NOT NULL,
    version TEXT NOT NULL, status TEXT NOT NULL, created_at TEXT NOT NULL, document TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX cards_uid ON cards (tenant, uid);
  CREATE UNIQUE INDEX cards_version ON cards (tenant, kind, space, name, version)
    WHERE status IN ('pending', 'active', 'deprecated');
  CREATE INDEX cards_name ON cards (tenant, kind, space, name);

  CREATE TABLE bindings (
    tenant TEXT NOT NULL, binding_id TEXT NOT NULL, owner_uid TEXT NOT NULL, occurrence TEXT NOT NULL,
    subject_uid TEXT NOT NULL, verifier_uid TEXT NOT NULL, position INTEGER NOT NULL, document TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX bindings_id ON bindings (tenant, binding_id);
  CREATE UNIQUE INDEX bindings_identity ON bindings (tenant, owner_uid, occurrence, verifier_uid);
  CREATE INDEX bindings_pair ON bindings (tenant, verifier_uid, subject_uid);

  CREATE TABLE activations (
    tenant TEXT NOT NULL, owner_uid TEXT NOT NULL, activated_at INTEGER NOT NULL, PRIMARY KEY (tenant, owner_uid)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE executions (
    tenant TEXT NOT NULL, execution_id TEXT NOT NULL, status TEXT NOT NULL, verdict TEXT, origin TEXT NOT NULL,
    verifier_uid TEXT NOT NULL, verifier_name TEXT NOT NULL, verifier_version TEXT NOT NULL,
    subject_uid TEXT NOT NULL, subject_name TEXT NOT NULL, subject_version TEXT NOT NULL,
    binding_id TEXT, owner_uid TEXT, group_id TEXT, run_id TEXT, created_at TEXT NOT NULL,
    summary TEXT NOT NULL, request TEXT NOT NULL, result TEXT
  ) STRICT;
  CREATE UNIQUE INDEX executions_id ON executions (tenant, execution_id);
  CREATE INDEX executions_verifier ON executions (tenant, verifier_uid, execution_id);
  CREATE INDEX executions_subject ON executions (tenant, subject_uid, execution_id);
  CREATE INDEX executions_binding ON executions (tenant, binding_id, execution_id) WHERE binding_id IS NOT NULL;
  CREATE INDEX executions_group ON executions (tenant, group_id, execution_id) WHERE group_id IS NOT NULL;
  CREATE INDEX executions_run ON executions (tenant, run_id, execution_id) WHERE run_id IS NOT NULL;

  CREATE TABLE uploads (
    tenant TEXT NOT NULL, upload_id TEXT NOT NULL, card_uid TEXT, status TEXT NOT NULL, document TEXT NOT NULL,
    PRIMARY KEY (tenant, upload_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX uploads_card ON uploads (tenant, card_uid, upload_id) WHERE card_uid IS NOT NULL;

  CREATE TABLE idempotency (
    tenant TEXT NOT NULL, principal TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, key TEXT NOT NULL,
    body_sha256 TEXT NOT NULL, answer TEXT NOT NULL, created_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, principal, method, path, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_age ON idempotency (created_at);
  `,
  // A row of attempts exists exactly while its execution is not settled: it is the outbox. `due_at` is the admission of
  // a pending one, the earliest start of a retrying one, the end of the lease of a running one.
  `
  CREATE TABLE attempts (
    tenant TEXT NOT NULL, execution_id TEXT NOT NULL, status TEXT NOT NULL, attempts INTEGER NOT NULL,
    lease TEXT, due_at INTEGER NOT NULL, PRIMARY KEY (tenant, execution_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX attempts_due ON attempts (due_at);

  CREATE TABLE work_results (
    position INTEGER PRIMARY KEY, tenant TEXT NOT NULL, execution_id TEXT NOT NULL, attempt INTEGER NOT NULL,
    work_id TEXT NOT NULL, try INTEGER NOT NULL, settlement TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX work_results_place ON work_results (tenant, execution_id, attempt, work_id, try);
  `,
  // `position` is the order of commits; a record has its `leaf` once a checkpoint holds it. A tile is 256 hashes of one
  // level of a tenant's tree, or fewer at its right end (docs/decisions/records-storage.md).
  `
  CREATE TABLE records (
    position INTEGER PRIMARY KEY, tenant TEXT NOT NULL, execution_id TEXT NOT NULL, ended_at TEXT NOT NULL,
    state TEXT NOT NULL, sha256 TEXT NOT NULL, text TEXT NOT NULL, leaf INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX records_execution ON records (tenant, execution_id);
  CREATE INDEX records_pending ON records (position) WHERE state = 'pending';
  CREATE INDEX records_open ON records (tenant, ended_at, execution_id) WHERE leaf IS NULL;
  CREATE INDEX executions_created ON executions (created_at);
  CREATE UNIQUE INDEX records_leaf ON records (tenant, leaf) WHERE leaf IS NOT NULL;

  CREATE TABLE checkpoints (
    tenant TEXT NOT NULL, number INTEGER NOT NULL, size INTEGER NOT NULL, closed_at TEXT NOT NULL,
    sha256 TEXT NOT NULL, envelope TEXT NOT NULL, PRIMARY KEY (tenant, number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX checkpoints_size ON checkpoints (tenant, size, number);

  CREATE TABLE tiles (
    tenant TEXT NOT NULL, level INTEGER NOT NULL, position INTEGER NOT NULL, hashes BLOB NOT NULL,
    PRIMARY KEY (tenant, level, position)
  ) STRICT, WITHOUT ROWID;
  `,
  // Background work (docs/spec/background.md §4, §5, §9). A row is due while its time is not null.
  `
  CREATE TABLE groups (
    tenant TEXT NOT NULL, binding_id TEXT NOT NULL, group_id TEXT NOT NULL, due_at INTEGER, head_execution TEXT,
    head_verdict TEXT, PRIMARY KEY (tenant, binding_id, group_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX groups_due ON groups (due_at) WHERE due_at IS NOT NULL;
  CREATE TABLE group_members (
    tenant TEXT NOT NULL, binding_id TEXT NOT NULL, group_id TEXT NOT NULL, execution_id TEXT NOT NULL,
    verifier_uid TEXT NOT NULL, PRIMARY KEY (tenant, binding_id, group_id, execution_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE schedules (
    tenant TEXT NOT NULL, binding_id TEXT NOT NULL, next_at INTEGER, PRIMARY KEY (tenant, binding_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX schedules_due ON schedules (next_at) WHERE next_at IS NOT NULL;
  CREATE TABLE occurrences (
    position INTEGER PRIMARY KEY, tenant TEXT NOT NULL, binding_id TEXT NOT NULL, document TEXT NOT NULL
  ) STRICT;
  CREATE INDEX occurrences_binding ON occurrences (tenant, binding_id, position);

  CREATE TABLE dispatches (
    tenant TEXT NOT NULL, dispatch_id TEXT NOT NULL, execution_id TEXT NOT NULL, status TEXT NOT NULL, lease TEXT,
    attempts INTEGER NOT NULL, due_at INTEGER, error TEXT, document TEXT NOT NULL, PRIMARY KEY (tenant, dispatch_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX dispatches_execution ON dispatches (tenant, execution_id);
  CREATE INDEX dispatches_due ON dispatches (due_at) WHERE due_at IS NOT NULL;

  CREATE TABLE connections (
    tenant TEXT NOT NULL, connection_id TEXT NOT NULL, provider TEXT NOT NULL, name TEXT NOT NULL, document TEXT NOT NULL,
    PRIMARY KEY (tenant, connection_id)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX connections_name ON connections (tenant, provider, name);
  `,
  // Spans as they arrive, and what each trace holds of them.
  `
  CREATE TABLE traces (
    tenant TEXT NOT NULL, trace_id TEXT NOT NULL, spans INTEGER NOT NULL, bytes INTEGER NOT NULL,
    newest_at INTEGER NOT NULL, is_cut INTEGER NOT NULL, PRIMARY KEY (tenant, trace_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX traces_newest ON traces (tenant, newest_at);
  CREATE INDEX traces_age ON traces (newest_at);
  CREATE TABLE spans (
    position INTEGER PRIMARY KEY, tenant TEXT NOT NULL, trace_id TEXT NOT NULL, spans TEXT NOT NULL
  ) STRICT;
  CREATE INDEX spans_trace ON spans (tenant, trace_id, position);
  `,
  // Baselines of drift checks, each fitted once; due while one waits to be fitted, or its fitting has lapsed.
  `
  CREATE TABLE baselines (
    tenant TEXT NOT NULL, verifier_uid TEXT NOT NULL, requirement TEXT NOT NULL, status TEXT NOT NULL, lease TEXT,
    due_at INTEGER, document TEXT, PRIMARY KEY (tenant, verifier_uid, requirement)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX baselines_due ON baselines (due_at) WHERE due_at IS NOT NULL;
  `,
  // Samples by the time of their ingest, and the batches they came in.
  `
  CREATE TABLE observation_batches (
    tenant TEXT NOT NULL, batch_id TEXT NOT NULL, sha256 TEXT NOT NULL, ingested_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, batch_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE observations (
    position INTEGER PRIMARY KEY, tenant TEXT NOT NULL, subject_card_uid TEXT NOT NULL, ingested_at INTEGER NOT NULL,
    created_at TEXT NOT NULL, record_id TEXT NOT NULL, run_id TEXT, features TEXT NOT NULL
  ) STRICT;
  CREATE INDEX observations_window ON observations (tenant, subject_card_uid, ingested_at);
  `,
];

/** The schema of the key file: apart, so that keys can be made while the host runs. */
export const keyMigrations: readonly string[] = [
  `
  CREATE TABLE api_keys (
    key_id TEXT PRIMARY KEY, tenant TEXT NOT NULL, created_at TEXT NOT NULL, revoked_at TEXT, document TEXT NOT NULL
  ) STRICT;
  CREATE INDEX api_keys_tenant ON api_keys (tenant, created_at);
  `,
];
