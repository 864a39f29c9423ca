import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sqliteCheckpoints } from '#adapters/embedded/checkpoints.ts';
import { openDatabase } from '#adapters/embedded/database.ts';
import { sqliteExecutions } from '#adapters/embedded/executions.ts';
import { openRecords, placeLeaves } from '#adapters/embedded/log-rows.ts';
import { migrations } from '#adapters/embedded/migrations.ts';
import { auditLogs } from '#service/records/audit-log.ts';
import { closeOnDemand } from '#service/records/close-checkpoint.ts';
import { recordOf, settledExecution } from '#test/ports/executions.ts';
import { movedClock } from '#test/support/moved-clock.ts';
import { inFolder } from '#test/support/temporary-folder.ts';
import { testSigner } from '#test/support/test-signer.ts';

const tenant = 'acme';
const everything = { ended_by: '9999', limit: 100_000, thorough: false };

async function withLog<Value>(use: (log: Awaited<ReturnType<typeof openLog>>) => Promise<Value>): Promise<Value> {
  return inFolder({}, async (folder) => {
    const log = await openLog(folder);
    try {
      return await use(log);
    } finally {
      await log.database.close();
    }
  });
}

async function openLog(folder: string) {
  const database = openDatabase(join(folder, 'log.db'), { migrations, exclusive: true });
  const executions = sqliteExecutions(database);
  const clock = movedClock();
  clock.set('2026-03-02T10:00:00.000Z');
  const log = { info() {}, warn() {}, error() {} };
  const ports = { clock, log, signer: testSigner(), checkpoints: sqliteCheckpoints(database) };
  const fill = async (count: number) => {
    const made = Array.from({ length: count }, () =>
      settledExecution({ record: recordOf(), ended_at: '2026-03-02T09:10:00.000Z' }),
    );
    await Promise.all(made.map((execution) => executions.storeSettled(tenant, execution)));
  };
  return { database, ports, clock, fill };
}

describe('the log of records in SQLite', () => {
  it('takes back the places of a closing that broke off', async () => {
    await withLog(async ({ database, ports, clock, fill }) => {
      await fill(3);
      await closeOnDemand(ports, tenant);
      await fill(4);
      const open = await openRecords(database, tenant, everything);
      // Half of the places, in another order, and then the process was gone.
      await placeLeaves(database, tenant, 3, open.slice(1, 3).toReversed());
      const half = open[2]?.execution_id ?? '';
      expect(await ports.checkpoints.indexOf(tenant, half)).toBeNull();
      clock.set('2026-03-02T10:05:00.000Z');
      // What was placed is not open: the first closing takes what is left, the next one the rest.
      expect((await closeOnDemand(ports, tenant)).size).toBe(5);
      clock.set('2026-03-02T10:10:00.000Z');
      expect((await closeOnDemand(ports, tenant)).size).toBe(7);
      expect(await ports.checkpoints.indexOf(tenant, half)).not.toBeNull();
      expect(await auditLogs(ports)).toBe(0);
    });
  });

  it('reads and places more records than one turn takes', async () => {
    await withLog(async ({ database, ports, fill }) => {
      await fill(4_500);
      const open = await openRecords(database, tenant, everything);
      expect(open).toHaveLength(4_500);
      expect(await openRecords(database, tenant, { ...everything, limit: 2_500 })).toEqual(open.slice(0, 2_500));
      expect(open.map(({ execution_id }) => execution_id)).toEqual(
        open.map(({ execution_id }) => execution_id).toSorted(),
      );
      expect((await closeOnDemand(ports, tenant)).size).toBe(4_500);
      expect(await openRecords(database, tenant, everything)).toEqual([]);
      expect(await ports.checkpoints.indexOf(tenant, open[4_321]?.execution_id ?? '')).toBe(4_321);
      expect(await auditLogs(ports)).toBe(0);
    });
  });
});
