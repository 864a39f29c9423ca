import type { Envelope } from '#contract/record.ts';
import type { Comparison, LoggedCheckpoint, Tile, TilePlace } from '#service/ports/checkpoints.ts';
import type { Page, PageRequest } from '#service/ports/page.ts';
import { getAll } from '../dynamo/batches.ts';
import { getItem, newestRow, rowsFrom } from '../dynamo/reads.ts';
import {
  archiveKey,
  archivePrefix,
  checkpointKey,
  checkpointPrefix,
  logPartition,
  sizeKey,
  sizePrefix,
  tileKeyOf,
} from '../keys.ts';
import type { Item } from '../store-call.ts';
import { archivedDigests, archiveRun } from './archive.ts';
import type { LogStore } from './log-store.ts';

export function lastRow({ dynamo, table }: LogStore, tenant: string): Promise<Item | null> {
  return newestRow(dynamo, table, logPartition(tenant), checkpointPrefix);
}

export async function lastCheckpoint(store: LogStore, tenant: string): Promise<LoggedCheckpoint | null> {
  const row = await lastRow(store, tenant);
  return row && toCheckpoint(row);
}

async function byNumber({ dynamo, table }: LogStore, tenant: string, number: number): Promise<LoggedCheckpoint | null> {
  const row = await getItem(dynamo, table, checkpointKey(tenant, number));
  return row && toCheckpoint(row);
}

/** The first checkpoint of the smallest size that is at least this one. */
export async function firstFrom(store: LogStore, tenant: string, size: number): Promise<LoggedCheckpoint | null> {
  const place = { ...sizeKey(tenant, size), prefix: sizePrefix, limit: 1 };
  const [row] = await rowsFrom(store.dynamo, store.table, place);
  return row === undefined ? null : byNumber(store, tenant, Number(row.checkpoint_number));
}

export async function checkpointOfSize(
  store: LogStore,
  tenant: string,
  size: number,
  which: 'first' | 'last',
): Promise<LoggedCheckpoint | null> {
  const first = await firstFrom(store, tenant, size);
  if (first?.size !== size) return null;
  if (which === 'first') return first;
  const larger = await firstFrom(store, tenant, size + 1);
  return larger === null ? lastCheckpoint(store, tenant) : byNumber(store, tenant, larger.number - 1);
}

/** Numbers have no gap, so a page is a run of keys. */
export async function listCheckpoints(
  store: LogStore,
  tenant: string,
  { limit, after }: PageRequest,
): Promise<Page<LoggedCheckpoint>> {
  const newest = after === null ? numberOf(await lastRow(store, tenant)) : Number(after) - 1;
  const keys = Array.from({ length: Math.max(0, Math.min(limit, newest)) }, (_unused, index) =>
    checkpointKey(tenant, newest - index),
  );
  const rows = await getAll(store.dynamo, store.table, keys);
  const items = rows.map(toCheckpoint).sort((left, right) => right.number - left.number);
  return { items, next: newest > limit ? String(items.at(-1)?.number) : null };
}

export async function readTiles(
  { dynamo, table }: LogStore,
  tenant: string,
  places: readonly TilePlace[],
): Promise<readonly Tile[]> {
  const keys = places.map(({ level, position }) => tileKeyOf(tenant, level, position));
  const byKey = new Map(keys.map(({ pk }, index) => [pk, places[index]]));
  const rows = await getAll(dynamo, table, keys);
  return rows.flatMap((row) => {
    const place = byKey.get(String(row.pk));
    return place && row.hashes instanceof Uint8Array ? [{ ...place, hashes: row.hashes }] : [];
  });
}

/** What the archive really holds, run by run. */
export async function compareRuns(
  store: LogStore,
  tenant: string,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<Comparison> {
  // Runs begin anywhere: the one that holds `from` may begin up to a run before it.
  const start = Math.max(0, from - archiveRun);
  const place = { ...archiveKey(tenant, start), prefix: archivePrefix, limit: Math.ceil(limit / archiveRun) + 1 };
  const runs = await rowsFrom(store.dynamo, store.table, place);
  const found = await Promise.all(
    runs.map(async (run) => {
      const first = Number(String(run.sk).slice(archivePrefix.length));
      const digests = await archivedDigests(store, tenant, String(run.object));
      return digests.map((sha256, position) => ({ index: first + position, sha256 }));
    }),
  );
  const leaves = found.flat().filter(({ index }) => index >= from);
  const end = (found.flat().at(-1)?.index ?? -1) + 1;
  return { leaves, next: runs.length < place.limit || end <= from ? null : end };
}

export function numberOf(row: Item | null): number {
  return row === null ? 0 : Number(String(row.sk).slice(checkpointPrefix.length));
}

/** Milliseconds: every commit before is in a checkpoint. */
export function completeTo(row: Item | null): number {
  return row === null ? 0 : Number(row.complete_to);
}

function toCheckpoint(row: Item): LoggedCheckpoint {
  return {
    number: numberOf(row),
    size: Number(row.checkpoint_size),
    closed_at: String(row.closed_at),
    sha256: String(row.checkpoint_sha256),
    envelope: JSON.parse(String(row.envelope)) as Envelope,
  };
}
