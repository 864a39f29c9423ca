import type { Checkpoints } from '#service/ports/checkpoints.ts';
import { getItem, rowsOf } from './dynamo/reads.ts';
import { leafKey, loggedTenantsPartition } from './keys.ts';
import { writeCheckpoint, writeLeaves, writeTiles } from './log/append-log.ts';
import { beginClosing, endClosing } from './log/closing.ts';
import type { LogStore } from './log/log-store.ts';
import { openLeaves } from './log/open-leaves.ts';
import {
  checkpointOfSize,
  compareRuns,
  completeTo,
  firstFrom,
  lastCheckpoint,
  lastRow,
  listCheckpoints,
  numberOf,
  readTiles,
} from './log/read-log.ts';

/** The log of records in DynamoDB and S3 (docs/decisions/records-storage.md). */
export function dynamoCheckpoints(store: LogStore): Checkpoints {
  const { dynamo, table } = store;
  return {
    async tenants() {
      const rows = await rowsOf(dynamo, table, loggedTenantsPartition);
      return rows.map(({ sk }) => String(sk));
    },
    last: (tenant) => lastCheckpoint(store, tenant),
    firstOver: (tenant, index) => firstFrom(store, tenant, index + 1),
    ofSize: (tenant, size, which) => checkpointOfSize(store, tenant, size, which),
    list: (tenant, page) => listCheckpoints(store, tenant, page),
    async open(tenant, look) {
      return openLeaves(store, tenant, look, completeTo(await lastRow(store, tenant)));
    },
    async begin(tenant, closing) {
      for (;;) {
        const standing = await beginClosing(store, tenant, closing);
        const before = await lastRow(store, tenant);
        // A closing whose checkpoint is there, and whose row was left, stands for nothing any more.
        if (numberOf(before) <= (standing.before?.number ?? 0)) return standing;
        await endClosing(store, tenant, standing);
        if (standing === closing) return standing;
      }
    },
    async append(tenant, closing, checkpoint, tiles) {
      const before = await lastRow(store, tenant);
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
    tiles: (tenant, places) => readTiles(store, tenant, places),
    async indexOf(tenant, executionId) {
      const row = await getItem(dynamo, table, leafKey(tenant, executionId), ['leaf']);
      // Its row is written before its checkpoint is: until then no checkpoint holds it.
      if (row === null || (await firstFrom(store, tenant, Number(row.leaf) + 1)) === null) return null;
      return Number(row.leaf);
    },
    compare: (tenant, look) => compareRuns(store, tenant, look),
  };
}
