import { chmodSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { storeFailure } from '#service/ports/store-failure.ts';

/** A SQLite file: prepared statements, and writes that share one durable commit. */
export interface Database {
  /** For readers in other threads of this process. */
  readonly path: string;
  /** The prepared statement of this text, made once. Texts are constants of the adapters, never built from input. */
  prepare(sql: string): StatementSync;
  /**
   * Runs `work` inside a transaction and resolves once it is durable. Calls that arrive while a commit is under way
   * share the next one, so many requests cost one fsync. If `work` throws, its own changes alone are undone.
   */
  write<Result>(work: () => Result): Promise<Result>;
  /** Ends after the writes already asked for. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly migrations: readonly string[];
  /** Hold the file for this process alone: a second process is refused, and a killed one leaves no lock behind. */
  readonly exclusive: boolean;
}

interface PendingWrite {
  readonly run: () => void;
  readonly commit: () => void;
  readonly fail: (error: unknown) => void;
}

/** Opens or makes the file. Throws when another process holds it, or a newer version of the product wrote it. */
export function openDatabase(path: string, options: DatabaseOptions): Database {
  const lock = options.exclusive ? holdLock(path) : null;
  const sqlite = new DatabaseSync(path, { timeout: 5_000 });
  try {
    configure(sqlite);
    migrate(sqlite, options.migrations, path);
    chmodSync(path, 0o600);
  } catch (error) {
    sqlite.close();
    lock?.close();
    throw isLocked(error) ? inUse(path, error) : error;
  }
  return groupingWrites({ path, sqlite, lock });
}

/**
 * Held by the operating system for as long as the process lives, in a file of its own: SQLite's exclusive mode would shut
 * out the readers in other threads of this process as well.
 */
function holdLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    chmodSync(`${path}.lock`, 0o600);
    return lock;
  } catch (error) {
    lock.close();
    throw isLocked(error) ? inUse(path, error) : error;
  }
}

function inUse(path: string, cause: unknown): Error {
  return storeFailure(`${path} is in use by another process`, cause);
}

function configure(sqlite: DatabaseSync): void {
  sqlite.exec('PRAGMA journal_mode = WAL');
  sqlite.exec('PRAGMA synchronous = FULL');
  // On macOS a plain fsync leaves the bytes in the drive's own cache.
  sqlite.exec('PRAGMA fullfsync = ON');
  sqlite.exec('PRAGMA checkpoint_fullfsync = ON');
  sqlite.exec('PRAGMA cache_size = -16000');
  sqlite.exec('PRAGMA trusted_schema = OFF');
}

function migrate(sqlite: DatabaseSync, migrations: readonly string[], path: string): void {
  sqlite.exec('BEGIN IMMEDIATE');
  const done = Number(sqlite.prepare('PRAGMA user_version').get()?.user_version ?? 0);
  if (done > migrations.length) throw storeFailure(`${path} was written by a newer version`, null);
  for (const step of migrations.slice(done)) sqlite.exec(step);
  sqlite.exec(`PRAGMA user_version = ${migrations.length}`);
  sqlite.exec('COMMIT');
}

interface Opened {
  readonly path: string;
  readonly sqlite: DatabaseSync;
  readonly lock: DatabaseSync | null;
}

function groupingWrites({ path, sqlite, lock }: Opened): Database {
  const statements = new Map<string, StatementSync>();
  let queue: PendingWrite[] = [];
  let scheduled = false;
  let closed = false;

  const flush = () => {
    scheduled = false;
    const batch = queue;
    queue = [];
    // Closing flushes by itself and leaves nothing for the turn that was asked for.
    if (batch.length > 0) commitTogether(sqlite, batch);
  };

  return {
    path,
    prepare(sql) {
      const known = statements.get(sql);
      if (known) return known;
      const statement = sqlite.prepare(sql);
      statements.set(sql, statement);
      return statement;
    },
    write(work) {
      return new Promise((resolve, reject) => {
        if (closed) {
          reject(storeFailure('the store is closed', null));
          return;
        }
        queue.push(pendingWrite(work, resolve, reject));
        if (!scheduled) {
          scheduled = true;
          setImmediate(flush);
        }
      });
    },
    async close() {
      if (closed) return;
      closed = true;
      if (queue.length > 0) flush();
      sqlite.close();
      lock?.close();
    },
  };
}

function pendingWrite<Result>(
  work: () => Result,
  resolve: (result: Result) => void,
  fail: (error: unknown) => void,
): PendingWrite {
  let settle = () => {};
  return {
    run() {
      const result = work();
      settle = () => resolve(result);
    },
    commit: () => settle(),
    fail,
  };
}

function commitTogether(sqlite: DatabaseSync, batch: readonly PendingWrite[]): void {
  const done: PendingWrite[] = [];
  try {
    sqlite.exec('BEGIN IMMEDIATE');
    for (const write of batch) if (runApart(sqlite, write)) done.push(write);
    sqlite.exec('COMMIT');
  } catch (error) {
    if (sqlite.isTransaction) sqlite.exec('ROLLBACK');
    for (const write of batch) write.fail(storeFailure('the store refused to commit', error));
    return;
  }
  for (const write of done) write.commit();
}

/** One write of a shared transaction, undone alone when it throws. */
function runApart(sqlite: DatabaseSync, write: PendingWrite): boolean {
  sqlite.exec('SAVEPOINT one');
  try {
    write.run();
    sqlite.exec('RELEASE one');
    return true;
  } catch (error) {
    // A full disk may end the whole transaction by itself: then the batch fails together.
    if (!sqlite.isTransaction) throw error;
    sqlite.exec('ROLLBACK TO one');
    sqlite.exec('RELEASE one');
    write.fail(error);
    return false;
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (error.errcode === 5 || error.errcode === 6);
}

/** Whether SQLite refused a row because a unique index holds another one. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (error.errcode === 2067 || error.errcode === 1555);
}
