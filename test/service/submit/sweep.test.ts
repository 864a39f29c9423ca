import { afterEach, beforeEach, expect, it } from 'vitest';
import { type SweepPorts, sweepOverdue } from '#service/submit/sweep.ts';
import { type AttemptStore, openAttemptStore, tenant } from '#test/support/attempt-ports.ts';
import { controlledClock } from '#test/support/controlled-clock.ts';
import { judgedSpec } from '#test/support/judged-desk.ts';

const t0 = Date.parse('2026-03-02T09:00:00.000Z');
let store: AttemptStore;
beforeEach(async () => {
  store = await openAttemptStore();
});
afterEach(() => store[Symbol.asyncDispose]());

async function admit() {
  const clock = controlledClock(t0);
  const admitted = await store.admitted(judgedSpec, { answer: { kind: 'json', value: 1 } }, clock);
  const { execution_id } = admitted.execution;
  const started: [string, number][] = [];
  const workflow: SweepPorts['workflow'] = {
    start: async (_tenant, id, attempt) => void started.push([id, attempt]),
  };
  const ports: SweepPorts = { ...admitted.ports, workflow };
  const claim = (lease: string) =>
    ports.attempts.claim(tenant, execution_id, { lease, now: clock.now(), lease_until: clock.now() + 360_000 });
  return { ...admitted, ports, clock, started, claim, id: execution_id };
}

it('starts what is pending for more than a minute, or at once when it is told so', async () => {
  const { ports, clock, started, id } = await admit();
  await clock.advance(60_000);
  expect(await sweepOverdue(ports)).toBe(0);
  await clock.advance(1);
  expect(await sweepOverdue(ports)).toBe(1);
  expect(await sweepOverdue(ports, t0 + 1)).toBe(1);
  expect(started).toEqual([
    [id, 1],
    [id, 1],
  ]);
});

it('starts what is due again', async () => {
  const { ports, clock, started, claim, id } = await admit();
  await claim('one');
  const error = { code: 'WYRD_SPEC_500_INTERNAL', message: 'm' };
  await ports.attempts.postpone(tenant, id, 'one', { not_before: t0 + 5_000, error, counts: true });
  expect(await sweepOverdue(ports)).toBe(0);
  await clock.advance(5_000);
  await sweepOverdue(ports);
  expect(started).toEqual([[id, 2]]);
});

it('brings back what a lost worker held, three times, then ends it', async () => {
  const { ports, clock, started, claim, id, find } = await admit();
  for (const attempt of [1, 2, 3]) {
    expect(await claim(`lease ${attempt}`)).toMatchObject({ attempt });
    await clock.advance(360_000);
    expect(await sweepOverdue(ports)).toBe(0);
    await clock.advance(1);
    await Promise.all([sweepOverdue(ports), sweepOverdue(ports)]);
  }
  expect(started).toEqual([
    [id, 2],
    [id, 3],
  ]);
  expect(await find()).toMatchObject({ status: 'errored', attempts: 3, error: { code: 'WYRD_SPEC_500_INTERNAL' } });
  expect(await sweepOverdue(ports)).toBe(0);
});

it('goes on after a start that fails', async () => {
  const { ports, clock, started, id } = await admit();
  const second = await store.admitted(judgedSpec, {}, clock);
  await clock.advance(61_000);
  let first = true;
  const workflow: SweepPorts['workflow'] = {
    async start(of, executionId, attempt) {
      if (first) {
        first = false;
        throw new Error('no machine');
      }
      await ports.workflow.start(of, executionId, attempt);
    },
  };
  expect(await sweepOverdue({ ...ports, workflow })).toBe(2);
  expect(started).toHaveLength(1);
  expect([id, second.execution.execution_id]).toContain(started[0]?.[0]);
});
