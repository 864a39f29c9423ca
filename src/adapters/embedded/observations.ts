import { orderOf } from '#service/drift/gather-rows.ts';
import type {
  FeatureValue,
  Observation,
  Observations,
  StoredObservation,
  WindowLook,
  WindowRow,
} from '#service/ports/observations.ts';
import type { Database } from './database.ts';
import { readInThread } from './window-chunks.ts';
import { isSmall, placeOf, recordsOf, sortedRows } from './window-rows.ts';
import { type WindowTurns, windowTurns } from './window-turns.ts';

/** Samples in SQLite: a row a batch, whose key is the deduplication, and a row a record (docs/spec/wire.md §9.5). */
export function sqliteObservations(database: Database): Observations {
  const turns = windowTurns();
  return {
    async append(tenant, batch, at) {
      return database.write(() => {
        const held = database
          .prepare('SELECT sha256, ingested_at FROM observation_batches WHERE tenant = ? AND batch_id = ?')
          .get(tenant, batch.batch_id);
        if (held) return held.sha256 === batch.sha256 ? Number(held.ingested_at) : null;
        database
          .prepare('INSERT INTO observation_batches (tenant, batch_id, sha256, ingested_at) VALUES (?, ?, ?, ?)')
          .run(tenant, batch.batch_id, batch.sha256, at);
        for (const observation of batch.observations) insert(database, tenant, observation, at);
        return at;
      });
    },
    window: (tenant, look, signal) => readWindow({ database, turns }, tenant, look, signal),
    async newest(tenant, most) {
      return database
        .prepare('SELECT * FROM observations WHERE tenant = ? ORDER BY position DESC LIMIT ?')
        .all(tenant, most)
        .map(toStored);
    },
  };
}

function insert(database: Database, tenant: string, observation: Observation, at: number): void {
  database
    .prepare(
      `INSERT INTO observations (tenant, subject_card_uid, ingested_at, created_at, record_id, run_id, features)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      tenant,
      observation.subject_card_uid,
      at,
      orderOf(observation.created_at),
      observation.record_id,
      observation.run_id,
      JSON.stringify([...observation.features]),
    );
}

function toStored(row: Record<string, unknown>): StoredObservation {
  return {
    record_id: String(row.record_id),
    subject_card_uid: String(row.subject_card_uid),
    run_id: row.run_id === null ? null : String(row.run_id),
    created_at: `${row.created_at}Z`,
    features: new Map(JSON.parse(String(row.features)) as [string, FeatureValue][]),
    ingested_at: Number(row.ingested_at),
  };
}

/** A small window at one go; others in a thread, so that whatever else the host does goes on. */
async function* readWindow(
  { database, turns }: { readonly database: Database; readonly turns: WindowTurns },
  tenant: string,
  look: WindowLook,
  signal?: AbortSignal,
): AsyncIterable<WindowRow> {
  const prepare = (sql: string) => database.prepare(sql);
  if (isSmall(prepare, tenant, look)) {
    signal?.throwIfAborted();
    yield* recordsOf(prepare(sortedRows).all(...placeOf(tenant, look)), look.features);
    return;
  }
  const end = await turns.take(tenant, signal);
  try {
    yield* readInThread({ path: database.path, tenant, look }, signal);
  } finally {
    end();
  }
}
