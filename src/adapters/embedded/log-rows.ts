import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Leaf, LoggedCheckpoint, OpenLook, Tile } from '#service/ports/checkpoints.ts';
import type { Database } from './database.ts';

/** Rows of one turn: other calls of the host wait no longer than for these. */
const turnRows = 2_000;

/** Records without a place, by (`ended_at`, execution id), read in turns. */
export async function openRecords(database: Database, tenant: string, look: OpenLook): Promise<readonly Leaf[]> {
  const page = database.prepare(
    `SELECT execution_id, ended_at, sha256 FROM records
     WHERE tenant = ? AND leaf IS NULL AND ended_at <= ? AND (ended_at, execution_id) > (?, ?)
     ORDER BY ended_at, execution_id LIMIT ?`,
  );
  const leaves: Leaf[] = [];
  let after: Pick<Leaf, 'ended_at' | 'execution_id'> = { ended_at: '', execution_id: '' };
  for (;;) {
    const size = Math.min(turnRows, look.limit - leaves.length);
    const rows = page.all(tenant, look.ended_by, after.ended_at, after.execution_id, size);
    for (const row of rows) leaves.push(toLeaf(row));
    const last = leaves.at(-1);
    if (rows.length < size || last === undefined || leaves.length === look.limit) return leaves;
    after = last;
    await nextTurn();
  }
}

function toLeaf(row: Record<string, unknown>): Leaf {
  return { execution_id: String(row.execution_id), ended_at: String(row.ended_at), sha256: String(row.sha256) };
}

/**
 * Gives leaves their places from `first` on, in turns. Nobody sees a place before a checkpoint is larger; places that a
 * closing left which broke off are taken back first.
 */
export async function placeLeaves(
  database: Database,
  tenant: string,
  first: number,
  leaves: readonly Leaf[],
): Promise<void> {
  await database.write(() =>
    database.prepare('UPDATE records SET leaf = NULL WHERE tenant = ? AND leaf >= ?').run(tenant, first),
  );
  for (let from = 0; from < leaves.length; from += turnRows) {
    await database.write(() => {
      const statement = database.prepare('UPDATE records SET leaf = ? WHERE tenant = ? AND execution_id = ?');
      for (const [position, { execution_id }] of leaves.slice(from, from + turnRows).entries()) {
        statement.run(first + from + position, tenant, execution_id);
      }
    });
  }
}

/** Inside a transaction of the caller. */
export function writeCheckpoint(
  database: Database,
  tenant: string,
  checkpoint: LoggedCheckpoint,
  tiles: readonly Tile[],
): void {
  const { number, size, closed_at, sha256, envelope } = checkpoint;
  database
    .prepare('INSERT INTO checkpoints (tenant, number, size, closed_at, sha256, envelope) VALUES (?, ?, ?, ?, ?, ?)')
    .run(tenant, number, size, closed_at, sha256, JSON.stringify(envelope));
  const statement = database.prepare(
    'INSERT OR REPLACE INTO tiles (tenant, level, position, hashes) VALUES (?, ?, ?, ?)',
  );
  for (const { level, position, hashes } of tiles) statement.run(tenant, level, position, hashes);
}
