import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { checkpointSchema } from '#contract/record.ts';
import { isConsistent, isIncluded, leafHash } from '#engine/record/merkle.ts';
import type { Attempts } from '#service/ports/attempts.ts';
import type { Checkpoints, LoggedCheckpoint } from '#service/ports/checkpoints.ts';
import type { Executions } from '#service/ports/executions.ts';
import type { Records } from '#service/ports/records.ts';
import type { Log } from '#service/ports.ts';
import { auditLogs } from '#service/records/audit-log.ts';
import { closeHour, closeOnDemand } from '#service/records/close-checkpoint.ts';
import { consistencyPath, inclusionPath } from '#service/records/prove.ts';
import { type MovedClock, movedClock } from '#test/support/moved-clock.ts';
import { testSigner } from '#test/support/test-signer.ts';
import { recordOf, settledExecution } from './executions.ts';

export interface LogStore {
  readonly executions: Executions;
  readonly attempts: Attempts;
  readonly records: Records;
  readonly checkpoints: Checkpoints;
}

const bytesOf = (hex: string) => Buffer.from(hex, 'hex');

/** The log of a tenant's records (docs/spec/records.md §2). */
export function testCheckpoints(name: string, make: (clock: MovedClock) => Promise<LogStore>): void {
  const tenant = 'acme';

  async function opened() {
    const clock = movedClock();
    clock.set('2026-03-02T09:00:00.000Z');
    const store = await make(clock);
    const lines: string[] = [];
    const log: Log = {
      info() {},
      warn() {},
      error: (message, fields) => lines.push(JSON.stringify([message, fields])),
    };
    const ports = { ...store, clock, log, signer: testSigner() };
    const record = async (endedAt: string, of = tenant) => {
      // What ended is stored then, or later.
      if (clock.now() < Date.parse(endedAt)) clock.set(endedAt);
      const execution = settledExecution({ ended_at: endedAt, execution_id: v7(), record: recordOf() });
      await store.executions.storeSettled(of, execution);
      return { id: execution.execution_id, sha256: execution.record?.sha256 ?? '', ended_at: endedAt };
    };
    const last = async () => (await store.checkpoints.last(tenant)) as LoggedCheckpoint;
    return { ...ports, ports, record, last, lines };
  }

  const saidBy = ({ envelope }: Pick<LoggedCheckpoint, 'envelope'>) =>
    checkpointSchema.parse(JSON.parse(Buffer.from(envelope.payload, 'base64').toString('utf8')));

  describe(`Checkpoints: ${name}`, () => {
    it('closes each hour a minute after its end, once', async () => {
      const { ports, clock, record, last, checkpoints } = await opened();
      await record('2026-03-02T09:10:00.000Z');
      clock.set('2026-03-02T10:00:59.999Z');
      expect(await closeHour(ports)).toBe(0);
      expect(saidBy(await last())).toMatchObject({ closed_at: '2026-03-02T09:00:00.000Z', size: 0, previous: null });
      clock.set('2026-03-02T10:01:00.000Z');
      await closeHour(ports);
      await closeHour(ports);
      const closed = await last();
      expect(saidBy(closed)).toMatchObject({
        tenant,
        size: 1,
        first_index: 0,
        opened_at: '2026-03-02T09:00:00.000Z',
        closed_at: '2026-03-02T10:00:00.000Z',
      });
      expect(closed.number).toBe(2);
      expect((await checkpoints.list(tenant, { limit: 10, after: null })).items.map(({ number }) => number)).toEqual([
        2, 1,
      ]);
    });

    it('shows an hour of silence, and one checkpoint for the hours in which nobody closed', async () => {
      const { ports, clock, record, last } = await opened();
      for (let made = 0; made < 7; made += 1) await record('2026-03-02T09:10:00.000Z');
      const times = ['2026-03-02T10:01:00.000Z', '2026-03-02T11:01:00.000Z', '2026-03-03T08:30:00.000Z'];
      const seen: LoggedCheckpoint[] = [];
      for (const time of times) {
        clock.set(time);
        await closeHour(ports);
        seen.push(await last());
      }
      expect(seen.map(({ size }) => size)).toEqual([7, 7, 7]);
      expect(saidBy(seen[2]!)).toMatchObject({
        previous: seen[1]?.sha256,
        opened_at: '2026-03-02T11:00:00.000Z',
        closed_at: '2026-03-03T08:00:00.000Z',
        first_index: 7,
      });
      expect(saidBy(seen[1]!)).toMatchObject({ previous: seen[0]?.sha256, root: saidBy(seen[0]!).root });
    });

    it('orders the leaves of a period by their end, then id, and takes what is late into the next', async () => {
      const { ports, clock, record, last, checkpoints } = await opened();
      const later = await record('2026-03-02T09:30:00.000Z');
      const second = await record('2026-03-02T09:20:00.000Z');
      const twin = await record('2026-03-02T09:20:00.000Z');
      const next = await record('2026-03-02T10:00:00.001Z');
      await record('2026-03-02T09:20:00.000Z', 'other');
      clock.set('2026-03-02T10:01:00.000Z');
      await closeHour(ports);
      const indexOf = (id: string) => checkpoints.indexOf(tenant, id);
      expect(await Promise.all([second, twin, later, next].map(({ id }) => indexOf(id)))).toEqual([0, 1, 2, null]);
      const late = await record('2026-03-02T09:00:00.500Z');
      clock.set('2026-03-02T11:01:00.000Z');
      await closeHour(ports);
      expect(await Promise.all([late, next].map(({ id }) => indexOf(id)))).toEqual([3, 4]);
      expect(saidBy(await last())).toMatchObject({ size: 5, first_index: 3 });
      expect(await checkpoints.indexOf('other', second.id)).toBeNull();
      expect(await checkpoints.tenants()).toEqual([tenant, 'other']);
    });

    it('proves every record and every pair of checkpoints', async () => {
      const { ports, clock, record, last, checkpoints } = await opened();
      const all: { id: string; sha256: string }[] = [];
      const closed: LoggedCheckpoint[] = [];
      for (const [hour, count] of [3, 1, 0, 5].entries()) {
        for (let made = 0; made < count; made += 1) {
          all.push(await record(`2026-03-02T${String(9 + hour).padStart(2, '0')}:10:00.000Z`));
        }
        clock.set(`2026-03-02T${10 + hour}:01:00.000Z`);
        await closeHour(ports);
        closed.push(await last());
      }
      for (const { id, sha256 } of all) {
        const index = (await checkpoints.indexOf(tenant, id)) ?? -1;
        const first = (await checkpoints.firstOver(tenant, index)) as LoggedCheckpoint;
        const path = (await inclusionPath(checkpoints, tenant, index, first)).map(bytesOf);
        const { size, root } = saidBy(first);
        expect(isIncluded({ index, size, path }, leafHash(bytesOf(sha256)), bytesOf(root))).toBe(true);
        expect(closed.find((one) => one.size > index)).toEqual(first);
      }
      for (const [from, to] of [
        [0, 1],
        [0, 3],
        [1, 3],
        [1, 2],
      ] as const) {
        const [older, newer] = [saidBy(closed[from]!), saidBy(closed[to]!)];
        const path = (await consistencyPath(checkpoints, tenant, older.size, newer.size)).map(bytesOf);
        const sizes = { from: older.size, to: newer.size, path };
        expect(isConsistent(sizes, bytesOf(older.root), bytesOf(newer.root))).toBe(true);
      }
      expect(await checkpoints.ofSize(tenant, 4, 'first')).toEqual(closed[1]);
      expect(await checkpoints.ofSize(tenant, 4, 'last')).toEqual(closed[2]);
      expect(await checkpoints.ofSize(tenant, 2, 'first')).toBeNull();
      expect(await checkpoints.firstOver(tenant, 9)).toBeNull();
    });

    it('pages through checkpoints, newest first', async () => {
      const { ports, clock, record, checkpoints } = await opened();
      await record('2026-03-02T09:10:00.000Z');
      for (const hour of [10, 11, 12]) {
        clock.set(`2026-03-02T${hour}:01:00.000Z`);
        await closeHour(ports);
      }
      const first = await checkpoints.list(tenant, { limit: 2, after: null });
      const second = await checkpoints.list(tenant, { limit: 2, after: first.next });
      expect([...first.items, ...second.items].map(({ number }) => number)).toEqual([3, 2, 1]);
      expect(second.next).toBeNull();
      expect((await checkpoints.list('other', { limit: 2, after: null })).items).toEqual([]);
    });

    it('makes one of many closings at once', async () => {
      const { ports, clock, record, checkpoints } = await opened();
      await record('2026-03-02T09:10:00.000Z');
      clock.set('2026-03-02T09:30:00.000Z');
      const made = await Promise.all([
        closeOnDemand(ports, tenant),
        closeOnDemand(ports, tenant),
        closeOnDemand(ports, tenant),
      ]);
      expect((await checkpoints.list(tenant, { limit: 10, after: null })).items).toHaveLength(1);
      expect(new Set(made.map(({ sha256 }) => sha256)).size).toBe(1);
      // Sooner than a minute later there is no other.
      clock.set('2026-03-02T09:30:59.000Z');
      expect((await closeOnDemand(ports, tenant)).number).toBe(1);
      clock.set('2026-03-02T09:31:00.000Z');
      expect((await closeOnDemand(ports, tenant)).number).toBe(2);
    });

    it('holds pending records too, and what is signed later is the same leaf', async () => {
      const { ports, clock, executions, records, checkpoints, lines } = await opened();
      const pending = recordOf('pending', '{"_type":"x"}');
      const execution = settledExecution({ record: pending, ended_at: '2026-03-02T09:10:00.000Z' });
      await executions.storeSettled(tenant, execution);
      const { execution_id: id } = execution;
      clock.set('2026-03-02T10:01:00.000Z');
      await closeHour(ports);
      expect(await checkpoints.indexOf(tenant, id)).toBe(0);
      const signed = recordOf('signed', pending.text);
      expect(await records.sign(tenant, id, signed)).toBe(true);
      expect(await records.find(tenant, id)).toEqual(signed);
      expect(await auditLogs(ports)).toBe(0);
      expect(lines).toEqual([]);
    });

    it('is found whole by the audit, and a record that was left out is named', async () => {
      const { ports, clock, record, lines } = await opened();
      for (let made = 0; made < 5; made += 1) await record('2026-03-02T09:10:00.000Z');
      clock.set('2026-03-02T10:01:00.000Z');
      await closeHour(ports);
      expect(await auditLogs(ports)).toBe(0);
      const { id } = await record('2026-03-02T09:15:00.000Z');
      clock.set('2026-03-02T13:00:00.000Z');
      expect(await auditLogs(ports)).toBe(1);
      expect(lines.join()).toContain(id);
    });
  });
}
