import { join, resolve } from 'node:path';
import { polledAlarms } from '#adapters/embedded/alarms.ts';
import { sqliteApiKeys } from '#adapters/embedded/api-keys.ts';
import { sqliteAttempts } from '#adapters/embedded/attempts.ts';
import { sqliteBaselines } from '#adapters/embedded/baselines.ts';
import { sqliteCheckpoints } from '#adapters/embedded/checkpoints.ts';
import { sqliteConnections } from '#adapters/embedded/connections.ts';
import { type Database, openDatabase } from '#adapters/embedded/database.ts';
import { sqliteDispatches } from '#adapters/embedded/dispatches.ts';
import { sqliteDueRows } from '#adapters/embedded/due-rows.ts';
import { makeFolder } from '#adapters/embedded/durable-files.ts';
import { evidenceFiles } from '#adapters/embedded/evidence-files.ts';
import { sqliteExecutions } from '#adapters/embedded/executions.ts';
import { sqliteGroups } from '#adapters/embedded/groups.ts';
import { sqliteIdempotency } from '#adapters/embedded/idempotency.ts';
import { keyMigrations, migrations } from '#adapters/embedded/migrations.ts';
import { sqliteObservations } from '#adapters/embedded/observations.ts';
import { sqlitePurge } from '#adapters/embedded/purge.ts';
import { sqliteRecords } from '#adapters/embedded/records.ts';
import { sqliteRegistry } from '#adapters/embedded/registry.ts';
import { embeddedRetention } from '#adapters/embedded/retention.ts';
import { sqliteSchedules } from '#adapters/embedded/schedules.ts';
import { keyFileBox } from '#adapters/embedded/secret-box.ts';
import { rootKeySigner } from '#adapters/embedded/signer.ts';
import { sqliteSpans } from '#adapters/embedded/spans.ts';
import { spoolFiles } from '#adapters/embedded/spool-files.ts';
import { systemClock, systemIds } from '#adapters/embedded/system.ts';
import { tokenKeyFile } from '#adapters/embedded/token-keys.ts';
import { localTransfers } from '#adapters/embedded/transfers.ts';
import { sqliteUploads } from '#adapters/embedded/uploads.ts';
import { sqliteWorkResults } from '#adapters/embedded/work-results.ts';

/** The data folder, open: `touchstone.db`, `keys.db`, `token-keys.json`, `signing-keys.json`, `secret-key.json`, `evidence/`, `spool/`. */
export type Store = Awaited<ReturnType<typeof openStore>>;

/**
 * Opens or makes the data folder. Throws when another process has it open. `secretKey`: base64 of the key of connections, in
 * place of the folder's own.
 */
export async function openStore(data: string, secretKey: string | undefined = process.env.TOUCHSTONE_SECRET_KEY) {
  const folder = resolve(data);
  await makeFolder(folder);
  const database = openDatabase(join(folder, 'touchstone.db'), { migrations, exclusive: true });
  const keyDatabase = openKeyDatabase(folder);
  return {
    clock: systemClock,
    ids: systemIds,
    registry: sqliteRegistry(database),
    executions: sqliteExecutions(database),
    idempotency: sqliteIdempotency(database),
    attempts: sqliteAttempts(database),
    groups: sqliteGroups(database),
    schedules: sqliteSchedules(database),
    dispatches: sqliteDispatches(database),
    dueRows: sqliteDueRows(database),
    alarms: polledAlarms,
    baselines: sqliteBaselines(database),
    observations: sqliteObservations(database),
    spans: sqliteSpans(database),
    connections: sqliteConnections(database),
    secretBox: keyFileBox(join(folder, 'secret-key.json'), secretKey),
    workResults: sqliteWorkResults(database),
    records: sqliteRecords(database),
    checkpoints: sqliteCheckpoints(database),
    retention: embeddedRetention(database, join(folder, 'evidence')),
    signer: await rootKeySigner(join(folder, 'signing-keys.json'), systemClock),
    uploads: sqliteUploads(database),
    transfers: localTransfers,
    evidence: await evidenceFiles(join(folder, 'evidence'), systemIds),
    spool: await spoolFiles(join(folder, 'spool')),
    purge: sqlitePurge(database),
    keys: sqliteApiKeys(keyDatabase),
    tokenKeys: await tokenKeyFile(join(folder, 'token-keys.json'), systemClock),
    /** A read of the store; throws when it cannot answer. */
    probe: () => database.prepare('SELECT 1').get(),
    async close() {
      await database.close();
      await keyDatabase.close();
    },
  };
}

/** The keys alone: may be open beside a running host, so that `touchstone keys` works at any time. */
export async function openKeys(data: string) {
  const folder = resolve(data);
  await makeFolder(folder);
  const database = openKeyDatabase(folder);
  return { keys: sqliteApiKeys(database), clock: systemClock, close: () => database.close() };
}

function openKeyDatabase(folder: string): Database {
  return openDatabase(join(folder, 'keys.db'), { migrations: keyMigrations, exclusive: false });
}
