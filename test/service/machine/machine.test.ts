import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import type { MachinePlace, MachineWork } from '#contract/machine.ts';
import type { Perform } from '#service/drive/performing.ts';
import { advance } from '#service/machine/advance.ts';
import { claimStep } from '#service/machine/claim-step.ts';
import { decideAndSettle } from '#service/machine/decide-and-settle.ts';
import { failMachine, timeOutMachine } from '#service/machine/end-machine.ts';
import { performWork } from '#service/machine/perform-work.ts';
import { type Admitted, type AttemptStore, openAttemptStore, tenant } from '#test/support/attempt-ports.ts';
import { type ControlledClock, controlledClock } from '#test/support/controlled-clock.ts';
import { judgedSpec, verdictOf } from '#test/support/judged-desk.ts';
import { runMachine } from '#test/support/run-machine.ts';

let store: AttemptStore;
beforeAll(async () => {
  store = await openAttemptStore();
});
afterAll(() => store[Symbol.asyncDispose]());

const t0 = Date.parse('2026-03-02T09:00:00.000Z');
const passes: Perform = async () => verdictOf('passed');

interface Claimed extends Admitted {
  readonly clock: ControlledClock;
  readonly place: MachinePlace;
  readonly left: () => Promise<readonly unknown[]>;
}

async function claimed(spec: JsonObject = judgedSpec): Promise<Claimed> {
  const clock = controlledClock(t0);
  const admitted = await store.admitted(spec, { answer: { kind: 'json', value: 'fine' } }, clock);
  const { execution_id } = admitted.execution;
  const answer = await claimStep(admitted.ports, { tenant, execution_id, lease: 'm-1' });
  if (answer.next !== 'advance') throw new Error('not claimed');
  return { ...admitted, clock, place: answer.place, left: () => store.store.workResults.all(tenant, execution_id, 1) };
}

const work = (place: MachinePlace): MachineWork => ({
  place,
  item: { work_id: 'check:r', try: 1, wait_seconds: 0 },
});

describe('the state machine', () => {
  it('hands out work by name, once it is not answered', async () => {
    const { ports, place } = await claimed();
    expect(place).toMatchObject({ attempt: 1, deadline: t0 + 300_000 });
    expect(await advance(ports, place)).toEqual({
      next: 'work',
      items: [{ work_id: 'check:r', try: 1, wait_seconds: 0 }],
    });
    expect(await decideAndSettle(ports, place)).toEqual({ next: 'advance' });
    await performWork(ports, work(place), passes);
    expect(await advance(ports, place)).toEqual({ next: 'decide' });
  });

  it('performs answered work no more', async () => {
    const { ports, place, left } = await claimed();
    let calls = 0;
    const counting: Perform = async () => {
      calls += 1;
      return verdictOf('passed');
    };
    for (let time = 0; time < 3; time += 1) await performWork(ports, work(place), counting);
    await performWork(ports, { place, item: { work_id: 'check:unknown', try: 1, wait_seconds: 0 } }, counting);
    expect(calls).toBe(1);
    expect(await left()).toHaveLength(1);
  });

  it('settles once and answers a repeat the same', async () => {
    const { ports, place, find, left } = await claimed();
    await performWork(ports, work(place), passes);
    expect(await decideAndSettle(ports, place)).toEqual({ next: 'end' });
    const settled = await find();
    expect(settled).toMatchObject({ status: 'completed', verdict: 'passed', attempts: 1 });
    expect(await decideAndSettle(ports, place)).toEqual({ next: 'end' });
    expect(await advance(ports, place)).toEqual({ next: 'end' });
    await performWork(ports, work(place), passes);
    expect(await find()).toEqual(settled);
    expect(await left()).toEqual([]);
  });

  it('forgets the answers though it dies between settling and forgetting', async () => {
    const { ports, place, left } = await claimed();
    await performWork(ports, work(place), passes);
    const clear = () => Promise.reject(new Error('killed'));
    const dying = { ...ports, workResults: { ...ports.workResults, clear } };
    await expect(decideAndSettle(dying, place)).rejects.toThrow('killed');
    expect(await left()).toHaveLength(1);
    expect(await decideAndSettle(ports, place)).toEqual({ next: 'end' });
    expect(await left()).toEqual([]);
  });

  it('gives the attempt back when capacity is refused, and starts it from nothing', async () => {
    const { ports, clock, place, find, left } = await claimed();
    await performWork(ports, work(place), async () => ({ result: { kind: 'busy', retry_after_ms: 7_200 } }));
    const answer = { next: 'claim', wait_seconds: 8 };
    expect(await advance(ports, place)).toEqual(answer);
    expect(await find()).toMatchObject({ status: 'retrying', attempts: 0 });
    expect(await left()).toEqual([]);
    expect(await advance(ports, place)).toMatchObject({ next: 'claim' });
    await clock.advance(8_000);
    const again = await claimStep(ports, { ...start(place), lease: 'm-2' });
    expect(again).toMatchObject({ next: 'advance', place: { attempt: 1 } });
  });

  it('fails to another attempt after its pause, three times', async () => {
    const { ports, clock, place, find } = await claimed();
    let now = place;
    for (const [attempt, wait_seconds] of [
      [1, 5],
      [2, 30],
    ] as const) {
      expect(await failMachine(ports, now)).toEqual({ next: 'claim', wait_seconds });
      expect(await failMachine(ports, now)).toEqual({ next: 'claim', wait_seconds });
      expect(await find()).toMatchObject({ status: 'retrying', attempts: attempt });
      await clock.advance(wait_seconds * 1_000);
      const next = await claimStep(ports, { ...start(place), lease: `m-${attempt + 1}` });
      if (next.next !== 'advance') throw new Error('not claimed');
      now = next.place;
    }
    expect(await failMachine(ports, now)).toEqual({ next: 'end' });
    expect(await failMachine(ports, now)).toEqual({ next: 'end' });
    expect(await find()).toMatchObject({ status: 'errored', attempts: 3, error: { code: 'WYRD_SPEC_500_INTERNAL' } });
  });

  it('times out at the deadline, also when it only advances then', async () => {
    const first = await claimed();
    expect(await timeOutMachine(first.ports, first.place)).toEqual({ next: 'end' });
    expect(await first.find()).toMatchObject({ status: 'timed_out', result: null });
    const second = await claimed();
    await performWork(second.ports, work(second.place), passes);
    await second.clock.advance(300_000);
    expect(await advance(second.ports, second.place)).toEqual({ next: 'end' });
    expect(await second.find()).toMatchObject({
      status: 'timed_out',
      error: { code: 'WYRD_VERIFICATION_504_EXECUTION_TIMED_OUT' },
    });
    expect(await second.left()).toEqual([]);
  });

  it('stores no answer of work that outlasts the deadline', async () => {
    const { ports, clock, place, left } = await claimed();
    const aborted: boolean[] = [];
    const performing = performWork(ports, work(place), async (_ports, _input, _work, signal) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      aborted.push(true);
      return verdictOf('passed');
    });
    await clock.advance(300_000);
    await performing;
    expect(aborted).toEqual([true]);
    expect(await left()).toEqual([]);
  });

  it('ends quietly when it is cancelled, and leaves nothing behind', async () => {
    const { ports, place, find, left, execution } = await claimed();
    await performWork(ports, work(place), passes);
    await ports.attempts.cancel(tenant, execution.execution_id, '2026-03-02T09:00:01.000Z');
    expect(await decideAndSettle(ports, place)).toEqual({ next: 'end' });
    expect(await find()).toMatchObject({ status: 'cancelled', result: null });
    expect(await left()).toEqual([]);
  });

  it('does not claim what another machine has', async () => {
    const { ports, place } = await claimed();
    expect(await claimStep(ports, { ...start(place), lease: 'other' })).toEqual({ next: 'end' });
    expect(await claimStep(ports, start(place))).toEqual({ next: 'advance', place });
  });

  it('waits for a trace that has not landed in all attempts but the last', async () => {
    const clock = controlledClock(t0);
    const check = {
      kind: 'trace',
      on: 'inputs.run',
      span_selector: '$.spans[0].name',
      operator: 'equals',
      expected: 'x',
    };
    const admitted = await store.admitted(
      { inputs: { run: { type: 'trace' } }, requirements: [{ id: 'r', statement: 's', check }] },
      { run: { kind: 'trace', trace_id: '0af7651916cd43dd8448eb211c80319c' } },
      clock,
    );
    const notLanded: Perform = async () => ({
      result: { kind: 'failure', code: 'trace_not_landed', retryable: false },
    });
    const { execution_id } = admitted.execution;
    const running = runMachine(admitted.ports, { tenant, execution_id }, notLanded);
    for (let look = 0; look < 100 && (await admitted.find()).status !== 'completed'; look += 1)
      await clock.advance(1_000);
    await running;
    const { result, attempts } = await admitted.find();
    expect(attempts).toBe(3);
    expect(JSON.parse(result ?? '').outcome.requirements).toMatchObject([{ reason_code: 'trace_not_landed' }]);
  });
});

function start({ execution_id, lease }: MachinePlace) {
  return { tenant, execution_id, lease };
}
