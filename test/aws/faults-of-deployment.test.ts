import { createHash } from 'node:crypto';
import { ListExecutionsCommand } from '@aws-sdk/client-sfn';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { systemClock } from '#adapters/embedded/system.ts';
import { parquetFiles } from '#adapters/parquet/read-parquet.ts';
import { metrics } from '#contract/aws-names.ts';
import { sweepOverdue } from '#service/submit/sweep.ts';
import { type AwsStore, anotherProcess, freshAwsStore } from '#test/support/aws-store.ts';
import { controlledClock } from '#test/support/controlled-clock.ts';
import { desk } from '#test/support/embedded-host.ts';
import { openFaultyNetwork } from '#test/support/faulty-network.ts';
import { keyRow, pendingExecution, pendingUpload } from '#test/support/stored-things.ts';
import type { CountMetric } from '../../lambdas/compose/count-metric.ts';
import { countErrored, countStoreFailures } from '../../lambdas/compose/counted-stores.ts';
import { sweepAll } from '../../lambdas/compose/sweep-all.ts';
import { inProcessHost } from '../../scripts/aws/in-process-host.ts';

/** Faults of a deployment and the state that each must end in; the table of them is docs/runbook.md. */

const silent = { info() {}, warn() {}, error() {} };

function counter() {
  const counts = new Map<string, number>();
  const count: CountMetric = (name, value) => void counts.set(name, (counts.get(name) ?? 0) + value);
  return { count, of: (name: string) => counts.get(name) ?? 0 };
}

describe('an upload by a link that S3 signed', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Sends the bytes by a link made so many seconds ago; only its age can be wrong. */
  async function sendAfter(store: AwsStore, seconds: number, text: string) {
    const sha256 = createHash('sha256').update(text).digest('hex');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - seconds * 1_000 });
    const upload = pendingUpload({ sha256, size_bytes: text.length });
    const plan = await store.ports.transfers.uploadPlan('acme', upload);
    vi.useRealTimers();
    if (plan.protocol !== 'single_put') throw new Error('not a single_put plan');
    const headers = Object.fromEntries(plan.data.required_headers.map(({ name, value }) => [name, value]));
    const answer = await fetch(plan.data.put_url, { method: 'PUT', headers, body: text });
    const held = await store.ports.evidence.sizes('acme', [sha256]);
    return { status: answer.status, stored: held.has(sha256), text: await answer.text() };
  }

  it('is taken until its 900 s are over, and refused after them', async () => {
    const store = await freshAwsStore();
    expect(await sendAfter(store, 870, 'in time')).toMatchObject({ status: 200, stored: true });
    const late = await sendAfter(store, 930, 'too late');
    expect(late).toMatchObject({ status: 403, stored: false });
    // Refused for its age, with a signature that is right.
    expect(late.text).toMatch(/expired/i);
  });
});

describe('a table that throttles', () => {
  const throttled = { refuse: 'ProvisionedThroughputExceededException' } as const;

  async function throttledHost(...operations: readonly string[]) {
    const store = await freshAwsStore();
    const network = await openFaultyNetwork(inject('emulator'));
    const healthy = inProcessHost(store.clients, store.environment);
    const throttledOne = inProcessHost(
      anotherProcess(store, { endpoint: network.endpoint }).clients,
      store.environment,
    );
    const token = await healthy.token();
    const declared = await healthy.call('POST', '/v1/cards', token, { submissions: desk() });
    const outcomes = declared.outcomes as { card_ref: { name: string; uid: string } }[];
    const uidOf = (name: string) => outcomes.find(({ card_ref }) => card_ref.name === name)?.card_ref.uid;
    const body = {
      verifier_card_uid: uidOf('tone'),
      card_uid: uidOf('desk-agent'),
      inputs: { answer: { kind: 'json', value: 'hello' } },
    };
    for (const operation of operations) network.planAlways(operation, throttled);
    return { store, network, healthy, throttledOne, token, body };
  }

  it('gives the verdict all the same; the result waits in the spool and the next sweep stores it', async () => {
    const { network, healthy, throttledOne, token, body } = await throttledHost('PutItem');
    const result = await throttledOne.call('POST', '/v1/verification/execute', token, body);
    expect(result).toMatchObject({ outcome: { verdict: expect.any(String) } });
    const { items: before } = await healthy.ports.executions.list('acme', {}, { limit: 5, after: null });
    expect(before).toEqual([]);
    const { count, of } = counter();
    const sweep = () =>
      sweepAll({ ...healthy.ports, parquet: parquetFiles, log: silent, sweepOperations: async () => 0 }, count);
    await sweep();
    expect(of(metrics.spooledResults)).toBe(0);
    const { items } = await healthy.ports.executions.list('acme', {}, { limit: 5, after: null });
    expect(items).toMatchObject([{ status: 'completed' }]);
    const kept = await healthy.ports.executions.find('acme', items[0]?.execution_id ?? '');
    // Nobody was told that it is signed before it was stored.
    expect({ ...JSON.parse(kept?.result ?? ''), record: { state: 'pending' } }).toEqual(result);
    // Its key could not be published either; the sweep signs what it stored the time before.
    await sweep();
    expect((await healthy.ports.records.find('acme', items[0]?.execution_id ?? ''))?.state).toBe('signed');
    await network.close();
  });

  it('refuses a submission with 503 and keeps nothing of it; the same call later is accepted once', async () => {
    const { network, healthy, throttledOne, token, body } = await throttledHost('TransactWriteItems');
    await expect(throttledOne.call('POST', '/v1/verification/enqueue', token, body)).rejects.toThrow(
      /503 .*WYRD_REGISTRY_503_REGISTRY_UNAVAILABLE/,
    );
    expect(await healthy.ports.attempts.unsettled('acme')).toBe(0);
    await healthy.call('POST', '/v1/verification/enqueue', token, body);
    expect(await healthy.ports.attempts.unsettled('acme')).toBe(1);
    await network.close();
  });

  it('is counted once for each call that was given up, so that an alarm rings', async () => {
    const { network, store } = await throttledHost('PutItem', 'GetItem');
    const { count, of } = counter();
    const other = anotherProcess(store, { endpoint: network.endpoint });
    const ports = countStoreFailures(other.ports, count);
    await expect(ports.executions.find('acme', 'x')).rejects.toThrow('ProvisionedThroughputExceeded');
    await expect(ports.idempotency.find('acme', keyRow(), 0)).rejects.toThrow('ProvisionedThroughputExceeded');
    expect(await ports.attempts.unsettled('acme')).toBe(0);
    expect(of(metrics.storeFailures)).toBe(2);
    await network.close();
  });
});

describe('work whose worker is lost', () => {
  const failed = { status: 'completed', verdict: 'passed', result: '{}', record: null, error: null } as const;

  async function admitted() {
    const store = await freshAwsStore();
    const clock = controlledClock(Date.now());
    const { count, of } = counter();
    const attempts = countErrored(store.ports.attempts, count);
    const ports = { ...store.ports, attempts, clock, log: silent };
    const execution = pendingExecution({ created_at: new Date(clock.now()).toISOString() });
    const id = execution.execution_id;
    await attempts.admit('acme', execution, keyRow({ created_at: systemClock.now() }));
    const claim = (lease: string) =>
      attempts.claim('acme', id, { lease, now: clock.now(), lease_until: clock.now() + 360_000 });
    const machines = async () => {
      const stateMachineArn = store.environment.TOUCHSTONE_ATTEMPT_MACHINE;
      const { executions } = await store.clients.sfn.send(new ListExecutionsCommand({ stateMachineArn }));
      return (executions ?? []).map(({ name }) => name?.replace(id, 'id')).sort();
    };
    return { ports, clock, id, claim, machines, errored: () => of(metrics.erroredExecutions) };
  }

  it('is started again under a new name when its lease lapses; the first worker changes nothing any more', async () => {
    const { ports, clock, id, claim, machines } = await admitted();
    await ports.workflow.start('acme', id, 1);
    await claim('first');
    expect(await sweepOverdue(ports)).toBe(0);
    await clock.advance(360_001);
    expect(await sweepOverdue(ports)).toBe(1);
    expect(await machines()).toEqual(['id-1', 'id-2']);
    expect(await ports.executions.find('acme', id)).toMatchObject({ status: 'retrying', attempts: 1 });
    const ended_at = new Date(clock.now()).toISOString();
    expect(await ports.attempts.settle('acme', id, 'first', { ...failed, ended_at })).toBe(false);
    expect(await claim('second')).toMatchObject({ attempt: 2 });
    expect(await ports.attempts.settle('acme', id, 'second', { ...failed, ended_at })).toBe(true);
    expect(await ports.executions.find('acme', id)).toMatchObject({ status: 'completed', attempts: 2 });
  });

  it('ends errored after the third, is counted once and never started again', async () => {
    const { ports, clock, id, claim, machines, errored } = await admitted();
    await ports.workflow.start('acme', id, 1);
    for (const attempt of [1, 2, 3]) {
      expect(await claim(`lease ${attempt}`)).toMatchObject({ attempt });
      await clock.advance(360_001);
      // Two sweeps at once: one of them moves it.
      await Promise.all([sweepOverdue(ports), sweepOverdue(ports)]);
    }
    expect(await ports.executions.find('acme', id)).toMatchObject({
      status: 'errored',
      verdict: null,
      result: null,
      attempts: 3,
      error: { code: 'WYRD_SPEC_500_INTERNAL' },
    });
    expect(errored()).toBe(1);
    await clock.advance(3_600_000);
    expect(await sweepOverdue(ports)).toBe(0);
    expect(await machines()).toEqual(['id-1', 'id-2', 'id-3']);
    expect(await ports.attempts.unsettled('acme')).toBe(0);
  });
});
