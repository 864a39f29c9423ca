import type { Envelope } from '#contract/record.ts';
import type { Checkpoints, Closing, LoggedCheckpoint, Tile } from '#service/ports/checkpoints.ts';
import type { Database } from './database.ts';

type Row = Record<string, unknown>;

/** The log of records in SQLite. A checkpoint, its tiles and the places of its leaves are one transaction. */
export function sqliteCheckpoints(database: Database): Checkpoints {
  const one = (where: string, ...values: (string | number)[]) => {
    const row = database.prepare(`${columns} WHERE tenant = ? ${where} LIMIT 1`).get(...values);
    return row ? toCheckpoint(row) : null;
  };
  const last = (tenant: string) => one('ORDER BY number DESC', tenant);
  return {
    async tenants() {
      const rows = database
        .prepare('SELECT DISTINCT tenant FROM records UNION SELECT DISTINCT tenant FROM checkpoints ORDER BY tenant')
        .all();
      return rows.map(({ tenant }) => String(tenant));
    },
    last: async (tenant) => last(tenant),
    firstOver: async (tenant, index) => one('AND size > ? ORDER BY size, number', tenant, index),
    ofSize: async (tenant, size, which) =>
      which === 'first'
        ? one('AND size = ? ORDER BY number', tenant, size)
        : one('AND size = ? ORDER BY number DESC', tenant, size),
    async list(tenant, { limit, after }) {
      const before = after === null ? Number.MAX_SAFE_INTEGER : Number(after);
      const rows = database
        .prepare(`${columns} WHERE tenant = ? AND number < ? ORDER BY number DESC LIMIT ?`)
        .all(tenant, before, limit + 1);
      const items = rows.slice(0, limit).map(toCheckpoint);
      return { items, next: rows.length > limit ? String(items.at(-1)?.number) : null };
    },
    async open(tenant, { ended_by, limit }) {
      const rows = database
        .prepare(
          `SELECT execution_id, ended_at, sha256 FROM records
           WHERE tenant = ? AND leaf IS NULL AND ended_at <= ? ORDER BY ended_at, execution_id LIMIT ?`,
        )
        .all(tenant, ended_by, limit);
      return rows.map((row) => ({
        execution_id: String(row.execution_id),
        ended_at: String(row.ended_at),
        sha256: String(row.sha256),
      }));
    },
    // One process has the store, so nothing is decided before it is done.
    begin: async (_tenant, closing) => closing,
    append(tenant, closing, checkpoint, tiles) {
      return database.write(() => {
        if ((last(tenant)?.number ?? 0) !== (closing.before?.number ?? 0)) return false;
        writeCheckpoint(database, tenant, checkpoint);
        writeTiles(database, tenant, tiles);
        placeLeaves(database, tenant, closing);
        return true;
      });
    },
    async tiles(tenant, places) {
      const tile = database.prepare('SELECT hashes FROM tiles WHERE tenant = ? AND level = ? AND position = ?');
      return places.flatMap(({ level, position }) => {
        const hashes = tile.get(tenant, level, position)?.hashes;
        return hashes instanceof Uint8Array ? [{ level, position, hashes }] : [];
      });
    },
    async indexOf(tenant, executionId) {
      const row = database
        .prepare('SELECT leaf FROM records WHERE tenant = ? AND execution_id = ?')
        .get(tenant, executionId);
      return typeof row?.leaf === 'number' ? row.leaf : null;
    },
    async compare(tenant, { from, limit }) {
      const rows = database
        .prepare('SELECT leaf, sha256 FROM records WHERE tenant = ? AND leaf >= ? ORDER BY leaf LIMIT ?')
        .all(tenant, from, limit);
      const leaves = rows.map((row) => ({ index: Number(row.leaf), sha256: String(row.sha256) }));
      return { leaves, next: rows.length < limit ? null : Number(rows.at(-1)?.leaf) + 1 };
    },
  };
}

const columns = 'SELECT number, size, closed_at, sha256, envelope FROM checkpoints';

function toCheckpoint(row: Row): LoggedCheckpoint {
  return {
    number: Number(row.number),
    size: Number(row.size),
    closed_at: String(row.closed_at),
    sha256: String(row.sha256),
    envelope: JSON.parse(String(row.envelope)) as Envelope,
  };
}

function writeCheckpoint(database: Database, tenant: string, checkpoint: LoggedCheckpoint): void {
  const { number, size, closed_at, sha256, envelope } = checkpoint;
  database
    .prepare('INSERT INTO checkpoints (tenant, number, size, closed_at, sha256, envelope) VALUES (?, ?, ?, ?, ?, ?)')
    .run(tenant, number, size, closed_at, sha256, JSON.stringify(envelope));
}

function writeTiles(database: Database, tenant: string, tiles: readonly Tile[]): void {
  const statement = database.prepare(
    'INSERT OR REPLACE INTO tiles (tenant, level, position, hashes) VALUES (?, ?, ?, ?)',
  );
  for (const { level, position, hashes } of tiles) statement.run(tenant, level, position, hashes);
}

function placeLeaves(database: Database, tenant: string, { before, leaves }: Closing): void {
  const statement = database.prepare('UPDATE records SET leaf = ? WHERE tenant = ? AND execution_id = ?');
  const first = before?.size ?? 0;
  for (const [position, { execution_id }] of leaves.entries()) statement.run(first + position, tenant, execution_id);
}
