import type { Envelope } from '#contract/record.ts';
import type { Checkpoints, Comparison, LoggedCheckpoint } from '#service/ports/checkpoints.ts';
import { getAll } from './dynamo/batches.ts';
import { getItem, newestRow, rowsFrom, rowsOf } from './dynamo/reads.ts';
import {
  archiveKey,
  archivePrefix,
  checkpointKey,
  checkpointPrefix,
  leafKey,
  loggedTenantsPartition,
  logPartition,
  sizeKey,
  sizePrefix,
  tileKeyOf,
} from './keys.ts';
import { writeCheckpoint, writeLeaves, writeTiles } from './log/append-log.ts';
import { archivedDigests } from './log/archive.ts';
import { beginClosing, endClosing } from './log/closing.ts';
import type { LogStore } from './log/log-store.ts';
import { openLeaves } from './log/open-leaves.ts';
import type { Item } from './store-call.ts';

/** The log of records in DynamoDB and S3 (docs/decisions/records-storage.md). */
export function dynamoCheckpoints(store: LogStore): Checkpoints {
  const { dynamo, table } = store;
  const lastRow = (tenant: string) => newestRow(dynamo, table, logPartition(tenant), checkpointPrefix);
  const byNumber = async (tenant: string, number: unknown) => {
    const row = await getItem(dynamo, table, checkpointKey(tenant, Number(number)));
    return row && toCheckpoint(row);
  };
  const last = async (tenant: string) => {
    const row = await lastRow(tenant);
    return row && toCheckpoint(row);
  };
  /** The first of the smallest size that is at least this one. */
  const firstFrom = async (tenant: string, size: number) => {
    const [row] = await rowsFrom(dynamo, table, { ...sizeKey(tenant, size), prefix: sizePrefix, limit: 1 });
    return row === undefined ? null : byNumber(tenant, row.checkpoint_number);
  };
  return {
    async tenants() {
      const rows = await rowsOf(dynamo, table, loggedTenantsPartition);
      return rows.map(({ sk }) => String(sk));
    },
    last,
    firstOver: (tenant, index) => firstFrom(tenant, index + 1),
    async ofSize(tenant, size, which) {
      const first = await firstFrom(tenant, size);
      if (first === null || first.size !== size || which === 'first') return first?.size === size ? first : null;
      const larger = await firstFrom(tenant, size + 1);
      return larger === null ? last(tenant) : byNumber(tenant, larger.number - 1);
    },
    async list(tenant, { limit, after }) {
      const newest = after === null ? ((await last(tenant))?.number ?? 0) : Number(after) - 1;
      const numbers = Array.from({ length: Math.max(0, Math.min(limit, newest)) }, (_unused, index) => newest - index);
      const rows = await getAll(
        dynamo,
        table,
        numbers.map((number) => checkpointKey(tenant, number)),
      );
      const items = rows.map(toCheckpoint).sort((left, right) => right.number - left.number);
      return { items, next: newest > limit ? String(items.at(-1)?.number) : null };
    },
    async tiles(tenant, places) {
      const byKey = new Map(places.map((place) => [tileKeyOf(tenant, place.level, place.position).pk, place]));
      const rows = await getAll(
        dynamo,
        table,
        places.map(({ level, position }) => tileKeyOf(tenant, level, position)),
      );
      return rows.flatMap((row) => {
        const place = byKey.get(String(row.pk));
        return place && row.hashes instanceof Uint8Array ? [{ ...place, hashes: row.hashes }] : [];
      });
    },
    async indexOf(tenant, executionId) {
      const row = await getItem(dynamo, table, leafKey(tenant, executionId), ['leaf']);
      // Its row is written before its checkpoint is: until then no checkpoint holds it.
      if (row === null || (await firstFrom(tenant, Number(row.leaf) + 1)) === null) return null;
      return Number(row.leaf);
    },
    compare: (tenant, look) => compareRuns(store, tenant, look),
    ...growing(store, lastRow),
  };
}

/** What adds to the log. */
function growing(
  store: LogStore,
  lastRow: (tenant: string) => Promise<Item | null>,
): Pick<Checkpoints, 'open' | 'begin' | 'append'> {
  return {
    async open(tenant, look) {
      return openLeaves(store, tenant, look, completeTo(await lastRow(tenant)));
    },
    async begin(tenant, closing) {
      for (;;) {
        const standing = await beginClosing(store, tenant, closing);
        const before = await lastRow(tenant);
        // A closing whose checkpoint is there, and whose row was left, stands for nothing any more.
        if (numberOf(before) <= (standing.before?.number ?? 0)) return standing;
        await endClosing(store, tenant, standing);
        if (standing === closing) return standing;
      }
    },
    async append(tenant, closing, checkpoint, tiles) {
      const before = await lastRow(tenant);
      if (numberOf(before) !== (closing.before?.number ?? 0)) return false;
      await writeTiles(store, tenant, tiles);
      await writeLeaves(store, tenant, closing);
      const written = await writeCheckpoint(store, tenant, checkpoint, {
        completeTo: closing.is_whole ? Date.parse(closing.closed_at) : completeTo(before),
        grew: closing.leaves.length > 0 || closing.before === null,
      });
      await endClosing(store, tenant, closing);
      return written;
    },
  };
}

async function compareRuns(
  store: LogStore,
  tenant: string,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<Comparison> {
  // Runs begin anywhere: the one that holds `from` may begin up to a run before it.
  const start = Math.max(0, from - 64);
  const place = { ...archiveKey(tenant, start), prefix: archivePrefix, limit: Math.ceil(limit / 64) + 1 };
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

function numberOf(row: Item | null): number {
  return row === null ? 0 : Number(String(row.sk).slice(checkpointPrefix.length));
}

function completeTo(row: Item | null): number {
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
