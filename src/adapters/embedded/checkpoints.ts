import type { Envelope } from '#contract/record.ts';
import type { Checkpoints, LoggedCheckpoint } from '#service/ports/checkpoints.ts';
import type { Database } from './database.ts';
import { openRecords, placeLeaves, writeCheckpoint } from './log-rows.ts';

type Row = Record<string, unknown>;

/** The log of records in SQLite. A checkpoint and its tiles are one transaction, after the places of its leaves. */
export function sqliteCheckpoints(database: Database): Checkpoints {
  const one = (where: string, ...values: (string | number)[]) => {
    const row = database.prepare(`${columns} WHERE tenant = ? ${where} LIMIT 1`).get(...values);
    return row ? toCheckpoint(row) : null;
  };
  const last = (tenant: string) => one('ORDER BY number DESC', tenant);
  const inTurn = turns();
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
    open: (tenant, look) => openRecords(database, tenant, look),
    // One process has the store, so nothing is decided before it is done.
    begin: async (_tenant, closing) => closing,
    append(tenant, closing, checkpoint, tiles) {
      return inTurn(tenant, async () => {
        const isNext = () => (last(tenant)?.number ?? 0) === (closing.before?.number ?? 0);
        if (!isNext()) return false;
        await placeLeaves(database, tenant, closing.before?.size ?? 0, closing.leaves);
        await database.write(() => writeCheckpoint(database, tenant, checkpoint, tiles));
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
      // A place counts once a checkpoint is there that holds it.
      return typeof row?.leaf === 'number' && row.leaf < (last(tenant)?.size ?? 0) ? row.leaf : null;
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

/** One at a time for each tenant: places are given in several transactions. */
function turns(): <Result>(tenant: string, work: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>();
  return (tenant, work) => {
    const before = last.get(tenant) ?? Promise.resolve();
    const mine = before.then(work, work);
    last.set(tenant, mine);
    return mine;
  };
}
