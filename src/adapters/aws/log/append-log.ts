import type { Closing, LoggedCheckpoint, Tile } from '#service/ports/checkpoints.ts';
import { writeAll } from '../dynamo/batches.ts';
import { putIf } from '../dynamo/conditional-write.ts';
import { type TransactItem, transact } from '../dynamo/transact.ts';
import { checkpointKey, sizeKey, tileKeyOf } from '../keys.ts';
import { archiveLeaves, archiveRun } from './archive.ts';
import type { LogStore } from './log-store.ts';
import { eachOf } from './objects.ts';

/** Runs of leaves written at the same time. */
const runsAtOnce = 16;
const hashBytes = 32;
const tileBytes = 256 * hashBytes;

/** Tiles in the table. One that is full is final; one that is not is only ever replaced by a longer one. */
export async function writeTiles(store: LogStore, tenant: string, tiles: readonly Tile[]): Promise<void> {
  const items = tiles.map(({ level, position, hashes }) => ({
    ...tileKeyOf(tenant, level, position),
    hashes,
    tile_size: hashes.length / hashBytes,
  }));
  const full = items.filter(({ hashes }) => hashes.length === tileBytes);
  await writeAll(
    store.dynamo,
    store.table,
    full.map((put) => ({ put })),
  );
  for (const item of items.filter(({ hashes }) => hashes.length < tileBytes)) {
    const condition = 'attribute_not_exists(pk) OR tile_size < :size';
    await putIf(store.dynamo, { table: store.table, item, condition, values: { ':size': item.tile_size } });
  }
}

/** Leaves with their records, in runs. */
export async function writeLeaves(store: LogStore, tenant: string, { before, leaves }: Closing): Promise<void> {
  const runs: number[] = [];
  for (let at = 0; at < leaves.length; at += archiveRun) runs.push(at);
  await eachOf(runs, runsAtOnce, (at) =>
    archiveLeaves(store, tenant, (before?.size ?? 0) + at, leaves.slice(at, at + archiveRun)),
  );
}

/**
 * The checkpoint itself, once everything that it stands on is written. `completeTo`: commits before it are in a checkpoint.
 * `grew`: no checkpoint before it has its size. False: the number is taken.
 */
export async function writeCheckpoint(
  store: LogStore,
  tenant: string,
  checkpoint: LoggedCheckpoint,
  { completeTo, grew }: { readonly completeTo: number; readonly grew: boolean },
): Promise<boolean> {
  const { number, size, closed_at, sha256, envelope } = checkpoint;
  const isNew = 'attribute_not_exists(pk)';
  const put = (Item: Record<string, unknown>): TransactItem => ({
    Put: { TableName: store.table, Item, ConditionExpression: isNew },
  });
  const row = {
    ...checkpointKey(tenant, number),
    checkpoint_size: size,
    closed_at,
    checkpoint_sha256: sha256,
    envelope: JSON.stringify(envelope),
    complete_to: completeTo,
  };
  // A checkpoint of an hour without records is not the first of its size.
  const isFirst = grew ? [put({ ...sizeKey(tenant, size), checkpoint_number: number })] : [];
  return (await transact(store.dynamo, [put(row), ...isFirst])).length === 0;
}
