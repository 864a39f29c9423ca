import { setImmediate as turn } from 'node:timers/promises';
import type {
  FeatureValue,
  Observation,
  Observations,
  StoredObservation,
  WindowLook,
  WindowRow,
} from '#service/ports/observations.ts';
import type { Database } from './database.ts';

/** Rows of one turn of the event loop. */
const rowsOfTurn = 1_000;

/** Samples in SQLite: a row a batch, whose key is the deduplication, and a row a record (docs/spec/wire.md §9.5). */
export function sqliteObservations(database: Database): Observations {
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
    window: (tenant, look, signal) => readWindow(database, tenant, look, signal),
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

/** Times of one instant compare as equal text whatever the digits of their fraction. */
function orderOf(created: string): string {
  return `${created.slice(0, 19)}.${/^\.\d{1,9}/.exec(created.slice(19))?.[0].slice(1).padEnd(9, '0') ?? '000000000'}`;
}

/** A record sent twice stands where its first ingested row stands, and keeps the first value of each feature. */
async function* readWindow(
  database: Database,
  tenant: string,
  look: WindowLook,
  signal?: AbortSignal,
): AsyncIterable<WindowRow> {
  const asked = new Set(look.features);
  let recordId: string | null = null;
  let values = new Map<string, FeatureValue>();
  let read = 0;
  for (const place of placesOf(database, tenant, look)) {
    const row = database.prepare('SELECT record_id, features FROM observations WHERE position = ?').get(place);
    // Retention may take a row while the window is read.
    if (!row) continue;
    if (row.record_id !== recordId) {
      if (recordId !== null && values.size > 0) yield { record_id: recordId, values };
      recordId = String(row.record_id);
      values = new Map();
    }
    addValues(values, asked, String(row.features));
    read += 1;
    if (read % rowsOfTurn === 0) await turn();
    signal?.throwIfAborted();
  }
  if (recordId !== null && values.size > 0) yield { record_id: recordId, values };
}

function addValues(values: Map<string, FeatureValue>, asked: ReadonlySet<string>, features: string): void {
  for (const [name, value] of JSON.parse(features) as [string, FeatureValue][]) {
    if (asked.has(name) && !values.has(name)) values.set(name, value);
  }
}

/**
 * The places of the rows in their order, read at one go: a prepared statement is shared, so no reading of it may be
 * open while another window is read. A million places are 8 MB.
 */
function placesOf(database: Database, tenant: string, look: WindowLook): number[] {
  const places: number[] = [];
  const rows = database
    .prepare(
      `SELECT position FROM (
         SELECT record_id, position,
           first_value(created_at) OVER (PARTITION BY record_id ORDER BY position) AS first_created
         FROM observations WHERE tenant = ? AND subject_card_uid = ? AND ingested_at >= ? AND ingested_at < ?)
       ORDER BY first_created, record_id, position`,
    )
    .iterate(tenant, look.subject_card_uid, look.from, look.to);
  for (const { position } of rows) places.push(Number(position));
  return places;
}
