import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { DeleteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, inject, it } from 'vitest';
import type { LoggedCheckpoint } from '#service/ports/checkpoints.ts';
import { auditLogs } from '#service/records/audit-log.ts';
import { closeHour } from '#service/records/close-checkpoint.ts';
import { recordOf, settledExecution } from '#test/ports/executions.ts';
import { type AwsStore, anotherProcess, freshAwsStore } from '#test/support/aws-store.ts';
import { openFaultyNetwork } from '#test/support/faulty-network.ts';
import { type MovedClock, movedClock } from '#test/support/moved-clock.ts';
import { testSigner } from '#test/support/test-signer.ts';

const tenant = 'acme';
const signer = testSigner();

async function opened() {
  const clock = movedClock();
  clock.set('2026-03-02T09:00:00.000Z');
  const store = await freshAwsStore(clock);
  return { store, clock };
}

async function record(store: AwsStore, count: number, ended_at = '2026-03-02T09:10:00.000Z'): Promise<string[]> {
  const made = Array.from({ length: count }, () => settledExecution({ record: recordOf(), ended_at }));
  for (const execution of made) await store.ports.executions.storeSettled(tenant, execution);
  return made.map(({ execution_id }) => execution_id);
}

function portsOf({ ports }: AwsStore, clock: MovedClock) {
  const lines: string[] = [];
  const log = { info() {}, warn() {}, error: (...said: unknown[]) => void lines.push(JSON.stringify(said)) };
  return { ...ports, clock, log, signer, lines };
}

const last = async ({ ports }: AwsStore) => (await ports.checkpoints.last(tenant)) as LoggedCheckpoint;

describe('the log of records on AWS', () => {
  it('keeps records when their executions are gone', async () => {
    const { store, clock } = await opened();
    const ids = await record(store, 3);
    clock.set('2026-03-02T10:01:00.000Z');
    await closeHour(portsOf(store, clock));
    const before = await Promise.all(ids.map((id) => store.ports.records.find(tenant, id)));
    await removeAll(store, store.environment.TOUCHSTONE_EXECUTIONS_TABLE);
    expect(await Promise.all(ids.map((id) => store.ports.records.find(tenant, id)))).toEqual(before);
    expect(before.every((one) => one?.state === 'signed')).toBe(true);
    expect(await store.ports.executions.find(tenant, ids[0] ?? '')).toBeNull();
    expect(await auditLogs(portsOf(store, clock))).toBe(0);
  });

  it('keeps a record that was pending when its checkpoint closed', async () => {
    const { store, clock } = await opened();
    const pending = recordOf('pending');
    const execution = settledExecution({ record: pending, ended_at: '2026-03-02T09:10:00.000Z' });
    await store.ports.executions.storeSettled(tenant, execution);
    clock.set('2026-03-02T10:01:00.000Z');
    await closeHour(portsOf(store, clock));
    const signed = recordOf('signed', pending.text);
    expect(await store.ports.records.sign(tenant, execution.execution_id, signed)).toBe(true);
    await removeAll(store, store.environment.TOUCHSTONE_EXECUTIONS_TABLE);
    expect(await store.ports.records.find(tenant, execution.execution_id)).toEqual(signed);
    expect(await auditLogs(portsOf(store, clock))).toBe(0);
  });

  it.each(['BatchWriteItem', 'PutItem', 'TransactWriteItems', 'DeleteItem'])(
    'finishes a closing that broke off at %s as it was decided, whoever goes on',
    async (operation) => {
      const { store, clock } = await opened();
      await record(store, 5);
      clock.set('2026-03-02T10:01:00.000Z');
      const network = await openFaultyNetwork(inject('emulator'));
      const broken = anotherProcess(store, { endpoint: network.endpoint, clock });
      network.planAlways(operation, { refuse: 'ProvisionedThroughputExceededException' });
      await closeHour(portsOf(broken, clock));
      // What ended meanwhile, in the same hour, is not of that closing.
      const [late] = await record(store, 1, '2026-03-02T09:00:00.000Z');
      await closeHour(portsOf(store, clock));
      const { size } = await last(store);
      const isDecided = operation !== 'PutItem';
      expect(size).toBe(isDecided ? 5 : 6);
      clock.set('2026-03-02T11:01:00.000Z');
      await closeHour(portsOf(store, clock));
      expect((await last(store)).size).toBe(6);
      expect(await store.ports.checkpoints.indexOf(tenant, late ?? '')).toBe(isDecided ? 5 : 0);
      expect(await auditLogs(portsOf(store, clock))).toBe(0);
      const left = await store.clients.s3.send(
        new ListObjectsV2Command({ Bucket: store.environment.TOUCHSTONE_VALUES_BUCKET, Prefix: 'closings/' }),
      );
      // What a process decided and could not make known is nobody's.
      expect(left.KeyCount ?? 0).toBeLessThanOrEqual(isDecided ? 0 : 1);
      await network.close();
    },
  );

  it('names a leaf whose record was changed or removed', async () => {
    const { store, clock } = await opened();
    await record(store, 70);
    clock.set('2026-03-02T10:01:00.000Z');
    await closeHour(portsOf(store, clock));
    const ports = portsOf(store, clock);
    const { checkpoints } = ports;
    const compare: typeof checkpoints.compare = async (of, look) => {
      const found = await checkpoints.compare(of, look);
      const leaves = found.leaves.map((leaf) => (leaf.index === 66 ? { ...leaf, sha256: '0'.repeat(64) } : leaf));
      return { ...found, leaves };
    };
    expect(await auditLogs({ ...ports, checkpoints: { ...checkpoints, compare } })).toBe(1);
    expect(ports.lines.join()).toContain('tile 0/0');
    const removed: typeof compare = async (of, look) => {
      const found = await checkpoints.compare(of, look);
      return { ...found, leaves: found.leaves.filter(({ index }) => index !== 3) };
    };
    expect(await auditLogs({ ...ports, checkpoints: { ...checkpoints, compare: removed } })).toBe(1);
    expect(ports.lines.join()).toContain('leaf 3 has no record');
  });

  it('adds to a tile of more than one checkpoint, and a late repeat of an old closing harms nothing', async () => {
    const { store, clock } = await opened();
    await record(store, 2);
    clock.set('2026-03-02T10:01:00.000Z');
    const ports = portsOf(store, clock);
    const old: Parameters<typeof ports.checkpoints.append>[] = [];
    const append: typeof ports.checkpoints.append = async (...given) => {
      old.push(given);
      return ports.checkpoints.append(...given);
    };
    await closeHour({ ...ports, checkpoints: { ...ports.checkpoints, append } });
    await record(store, 3, '2026-03-02T10:10:00.000Z');
    clock.set('2026-03-02T11:01:00.000Z');
    await closeHour(ports);
    for (const given of old) expect(await ports.checkpoints.append(...given)).toBe(false);
    const [tile] = await ports.checkpoints.tiles(tenant, [{ level: 0, position: 0 }]);
    expect(tile?.hashes).toHaveLength(5 * 32);
  });
});

/** What expiry does, all at once. */
async function removeAll({ clients }: AwsStore, TableName: string): Promise<void> {
  const { Items = [] } = await clients.dynamo.send(new ScanCommand({ TableName }));
  for (const { pk, sk } of Items) await clients.dynamo.send(new DeleteCommand({ TableName, Key: { pk, sk } }));
}
