import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { AwsPorts } from '#adapters/aws/aws-ports.ts';
import { isStoreFailure } from '#service/ports/store-failure.ts';
import { settledExecution } from '#test/ports/executions.ts';
import { anotherProcess, freshAwsStore } from '#test/support/aws-store.ts';
import { type Fault, type FaultyNetwork, openFaultyNetwork } from '#test/support/faulty-network.ts';
import { declarationOf, keyRow, pendingExecution, pendingUpload, storedCard } from '#test/support/stored-things.ts';

const throttled: Fault = { refuse: 'ProvisionedThroughputExceededException' };
const broken: Fault = { status: 500 };
const inConflict: Fault = {
  refuse: 'TransactionCanceledException',
  body: { CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }] },
};
const held = {
  lease: 'l1',
  now: Date.parse('2026-03-02T09:00:00.000Z'),
  lease_until: Date.parse('2026-03-02T09:06:00.000Z'),
};
const done = {
  status: 'completed',
  verdict: 'passed',
  result: '{}',
  record: null,
  error: null,
  ended_at: '2026-03-02T09:01:00.000Z',
} as const;

const failed = { code: 'WYRD_SPEC_500_INTERNAL', message: 'failed' };

let network: FaultyNetwork;
/** Over the faulty network, and straight. */
let ports: AwsPorts;
let straight: AwsPorts;

beforeEach(async () => {
  const store = await freshAwsStore();
  network = await openFaultyNetwork(inject('emulator'));
  straight = store.ports;
  ports = anotherProcess(store, { endpoint: network.endpoint }).ports;
});

afterEach(() => network.close());

async function admitted() {
  const execution = pendingExecution();
  await straight.attempts.admit('acme', execution, keyRow());
  return execution.execution_id;
}

async function claimed() {
  const id = await admitted();
  await straight.attempts.claim('acme', id, held);
  return id;
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'no failure',
    (error: unknown) => isStoreFailure(error) || error,
  );
}

describe('a store that refuses for a while', () => {
  it.each([
    ['throttling', throttled],
    ['faults', broken],
    ['broken connections', 'lost_request' as const],
  ])('is asked again after %s', async (_name, fault) => {
    network.plan('PutItem', fault, fault);
    const execution = settledExecution();
    await ports.executions.storeSettled('acme', execution);
    expect(network.sent('PutItem')).toBe(3);
    expect(await straight.executions.find('acme', execution.execution_id)).toEqual(execution);
  });

  it('is asked again when transactions met', async () => {
    network.plan('TransactWriteItems', inConflict, inConflict, inConflict);
    expect(await ports.attempts.admit('acme', pendingExecution(), keyRow())).toBe('admitted');
    expect(network.sent('TransactWriteItems')).toBe(4);
  });

  it('is asked for what it left of a batch, reading and writing', async () => {
    const cards = ['1.0.0', '1.0.1', '1.0.2', '1.0.3'].map((version) => storedCard({ version }));
    await straight.registry.declare('acme', declarationOf(cards));
    network.plan('BatchGetItem', 'part_of_batch', 'part_of_batch', 'part_of_batch');
    expect(await ports.registry.versions('acme', storedCard())).toHaveLength(4);
    const uploads = Array.from({ length: 30 }, () => pendingUpload());
    network.plan('BatchWriteItem', 'part_of_batch', null, 'part_of_batch');
    await ports.uploads.open('acme', uploads);
    for (const upload of uploads) expect(await straight.uploads.find('acme', upload.upload_id)).toEqual(upload);
  });
});

describe('a store that goes on refusing', () => {
  it.each<[string, string, Fault, () => Promise<unknown>]>([
    ['throttled put', 'PutItem', throttled, () => ports.executions.storeSettled('acme', settledExecution())],
    ['broken get', 'GetItem', broken, () => ports.executions.find('acme', 'x')],
    ['unreachable update', 'UpdateItem', 'lost_request', () => ports.attempts.settle('acme', 'x', 'l', done)],
    ['throttled query', 'Query', throttled, () => ports.executions.list('acme', {}, { limit: 5, after: null })],
    ['throttled count', 'Query', throttled, () => ports.attempts.unsettled('acme')],
    [
      'broken transaction',
      'TransactWriteItems',
      broken,
      () => ports.attempts.admit('acme', pendingExecution(), keyRow()),
    ],
    [
      'transaction in conflict',
      'TransactWriteItems',
      inConflict,
      () => ports.registry.declare('acme', declarationOf([storedCard()])),
    ],
    ['refused request', 'GetItem', { refuse: 'AccessDeniedException' }, () => ports.keys.find('x')],
    ['object store that fails', 'HEAD', { status: 503 }, () => ports.evidence.sizes('acme', ['a'.repeat(64)])],
    ['secret that cannot be read', 'GetSecretValue', broken, () => ports.tokenKeys.valid()],
    ['workflow that cannot start', 'StartExecution', broken, () => ports.workflow.start('acme', 'x', 1)],
  ])('ends in a StoreFailure: %s', async (_name, operation, fault, call) => {
    network.planAlways(operation, fault);
    expect(await failureOf(call())).toBe(true);
    expect(network.sent(operation)).toBeGreaterThan(0);
    // Bounded: eight lists, or one call, of at most eight tries each.
    expect(network.sent(operation)).toBeLessThanOrEqual(64);
  });

  it('ends in a StoreFailure when it goes on leaving the batch', async () => {
    network.planAlways('BatchWriteItem', 'part_of_batch');
    expect(
      await failureOf(
        ports.uploads.open(
          'acme',
          Array.from({ length: 20 }, () => pendingUpload()),
        ),
      ),
    ).toBe(true);
  });

  it('names nothing whose value is not there', async () => {
    network.planAlways('PUT', { status: 503 });
    const execution = settledExecution({ result: `"${'x'.repeat(310_000)}"` });
    expect(await failureOf(ports.executions.storeSettled('acme', execution))).toBe(true);
    expect(network.sent('PutItem')).toBe(0);
    expect(await straight.executions.find('acme', execution.execution_id)).toBeNull();
  });
});

describe('an answer that is lost after the write', () => {
  const lost = (operation: string) => network.plan(operation, 'lost_answer');

  it('leaves an admission admitted', async () => {
    lost('TransactWriteItems');
    const execution = pendingExecution();
    expect(await ports.attempts.admit('acme', execution, keyRow())).toBe('admitted');
    expect(network.sent('TransactWriteItems')).toBe(2);
    expect((await straight.executions.find('acme', execution.execution_id))?.status).toBe('pending');
  });

  it('is the same transaction when others were met in between', async () => {
    network.plan('TransactWriteItems', 'lost_answer', inConflict);
    expect(await ports.attempts.admit('acme', pendingExecution(), keyRow())).toBe('admitted');
    expect(network.sent('TransactWriteItems')).toBe(3);
  });

  it('leaves a claim claimed, counted once', async () => {
    const id = await admitted();
    lost('UpdateItem');
    expect(await ports.attempts.claim('acme', id, held)).toMatchObject({ attempt: 1, lease_until: held.lease_until });
  });

  it.each<[string, (id: string) => Promise<unknown>, unknown, string]>([
    ['settle', (id) => ports.attempts.settle('acme', id, 'l1', done), true, 'completed'],
    [
      'postpone',
      (id) => ports.attempts.postpone('acme', id, 'l1', { not_before: 1, counts: true, error: failed }),
      true,
      'retrying',
    ],
    ['cancel', (id) => ports.attempts.cancel('acme', id, '2026-03-02T09:02:00.000Z'), 'flagged', 'cancelled'],
    [
      'release',
      (id) => ports.attempts.release('acme', id, { now: held.lease_until + 1, to: 'retrying', not_before: 1 }),
      true,
      'retrying',
    ],
  ])('leaves a %s done, and says so', async (_name, step, answer, status) => {
    const id = await claimed();
    lost('UpdateItem');
    expect(await step(id)).toBe(answer);
    expect(network.sent('UpdateItem')).toBe(2);
    expect((await straight.executions.find('acme', id))?.status).toBe(status);
  });

  it('leaves a declaration stored, and a Card removed', async () => {
    const card = storedCard();
    network.plan('TransactWriteItems', 'lost_answer', null, 'lost_answer');
    expect(await ports.registry.declare('acme', declarationOf([card]))).toBe('stored');
    expect(await ports.registry.remove('acme', card.uid, 'now')).toBe(true);
    expect((await straight.registry.byUid('acme', card.uid))?.status).toBe('deleted');
  });

  it('leaves a settled execution as it was stored', async () => {
    lost('PutItem');
    const execution = settledExecution();
    await ports.executions.storeSettled('acme', execution);
    expect(await straight.executions.find('acme', execution.execution_id)).toEqual(execution);
  });

  it('starts an attempt once', async () => {
    lost('StartExecution');
    await ports.workflow.start('acme', '00000000-0000-7000-8000-000000000000', 1);
    expect(network.sent('StartExecution')).toBe(2);
  });
});

describe('a worker whose clock is wrong (docs/spec/background.md §11 row 17)', () => {
  it.each([-6_500, 6_500])('claims nothing when it differs by %i ms, and says so', async (ms) => {
    const id = await admitted();
    network.shiftDates(ms);
    expect(await failureOf(ports.attempts.claim('acme', id, held))).toBe(true);
    expect(network.sent('UpdateItem')).toBe(0);
    network.shiftDates(0);
    expect(await ports.attempts.claim('acme', id, held)).toMatchObject({ attempt: 1 });
  });

  it.each([-3_500, 3_500])('claims when it differs by %i ms', async (ms) => {
    const id = await admitted();
    network.shiftDates(ms);
    expect(await ports.attempts.claim('acme', id, held)).toMatchObject({ attempt: 1 });
  });
});
