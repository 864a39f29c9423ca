import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Problem } from '#contract/errors.ts';
import type { JsonObject } from '#contract/json.ts';
import type { Driven } from '#service/drive/drive.ts';
import { drive } from '#service/drive/drive.ts';
import type { DriveInput } from '#service/drive/performing.ts';
import { storeFailure } from '#service/ports/store-failure.ts';
import { runAttempt } from '#service/submit/run-attempt.ts';
import { type Admitted, type AttemptStore, openAttemptStore, tenant } from '#test/support/attempt-ports.ts';
import { type ControlledClock, controlledClock } from '#test/support/controlled-clock.ts';
import { judgedSpec } from '#test/support/judged-desk.ts';

let store: AttemptStore;
beforeAll(async () => {
  store = await openAttemptStore();
});
afterAll(() => store[Symbol.asyncDispose]());

const t0 = Date.parse('2026-03-02T09:00:00.000Z');
const never = new AbortController().signal;
const answer = { answer: { kind: 'json', value: 'fine' } } as const;

async function admit(spec: JsonObject = judgedSpec): Promise<Admitted & { readonly clock: ControlledClock }> {
  const clock = controlledClock(t0);
  return { ...(await store.admitted(spec, answer, clock)), clock };
}

/** One attempt that is driven as the test says, at the time of its clock. */
function attempt(
  { ports, execution }: Admitted,
  driven: (input: DriveInput) => Promise<Driven>,
  stopping: AbortSignal = never,
) {
  return runAttempt({ ...ports, drive: driven }, { tenant, execution_id: execution.execution_id }, stopping);
}

const outcome = { verdict: 'passed', requirements: [], steps: [], evidence: {} } as const;
const work = { judges: [], code: [], extractions: [], drift: [], traces: [] };
const finished = async (): Promise<Driven> => ({ kind: 'finished', outcome, work });

describe('an attempt', () => {
  it('has 300 seconds, and starts its run when the execution was made', async () => {
    const admitted = await admit();
    const seen: DriveInput[] = [];
    await admitted.clock.advance(7_000);
    await attempt(admitted, async (input) => {
      seen.push(input);
      return finished();
    });
    expect(seen).toMatchObject([{ deadline: t0 + 307_000, run: { started_at: '2026-03-02T09:00:00.000Z' } }]);
    expect(await admitted.find()).toMatchObject({ status: 'completed', verdict: 'passed', attempts: 1, error: null });
  });

  it('is made by one of many workers', async () => {
    const admitted = await admit();
    const all = await Promise.all([attempt(admitted, finished), attempt(admitted, finished)]);
    expect(all.filter((ended) => ended !== null)).toEqual([{ kind: 'settled', status: 'completed' }]);
  });

  it('ends timed out at its deadline, whatever attempts are left', async () => {
    const admitted = await admit();
    await attempt(admitted, async () => ({ kind: 'timed_out' }));
    const error = { code: 'WYRD_VERIFICATION_504_EXECUTION_TIMED_OUT' };
    expect(await admitted.find()).toMatchObject({ status: 'timed_out', verdict: null, result: null, error });
  });

  it.each([
    [1_500, 1_500],
    [1, 1_000],
    [3_600_000, 60_000],
  ])('is given back when capacity is refused for %i ms, and due after %i', async (asked, pause) => {
    const admitted = await admit();
    const busy = async (): Promise<Driven> => ({ kind: 'busy', retry_after_ms: asked });
    expect(await attempt(admitted, busy)).toEqual({ kind: 'postponed', not_before: t0 + pause });
    expect(await admitted.find()).toMatchObject({ status: 'retrying', attempts: 0 });
  });

  it('counts refused capacity after an hour, so that it ends', async () => {
    const admitted = await admit();
    for (let tries = 0; tries < 100 && (await admitted.find()).status !== 'errored'; tries += 1) {
      await attempt(admitted, async () => ({ kind: 'busy', retry_after_ms: 60_000 }));
      await admitted.clock.advance(60_000);
    }
    const error = { code: 'WYRD_VERIFICATION_429_STAGING_FULL' };
    expect(await admitted.find()).toMatchObject({ status: 'errored', attempts: 3, error });
    expect(admitted.clock.now() - t0).toBeLessThan(3_600_000 + 5 * 60_000);
  });

  it('waits for a trace that has not landed, and judges without it at last', async () => {
    const check = {
      kind: 'trace',
      on: 'inputs.run',
      span_selector: '$.spans[0].name',
      operator: 'equals',
      expected: 'x',
    };
    const clock = controlledClock(t0);
    const admitted = await store.admitted(
      { inputs: { run: { type: 'trace' } }, requirements: [{ id: 'r', statement: 's', check }] },
      { run: { kind: 'trace', trace_id: '0af7651916cd43dd8448eb211c80319c' } },
      clock,
    );
    const effects = { ...admitted.ports.effects, traces: { read: async () => ({ kind: 'not_landed' }) as const } };
    const real = (input: DriveInput) => drive(effects, input);
    expect(await attempt(admitted, real)).toEqual({ kind: 'postponed', not_before: t0 + 5_000 });
    expect(await admitted.find()).toMatchObject({ status: 'retrying', attempts: 1 });
    await clock.advance(5_000);
    expect(await attempt(admitted, real)).toEqual({ kind: 'postponed', not_before: t0 + 35_000 });
    await clock.advance(30_000);
    expect(await attempt(admitted, real)).toEqual({ kind: 'settled', status: 'completed' });
    const { result } = await admitted.find();
    expect(JSON.parse(result ?? '').outcome.requirements).toMatchObject([{ reason_code: 'trace_not_landed' }]);
  });

  it.each<[string, unknown, object]>([
    ['our own fault', new Error('secret-token in evidence'), { code: 'WYRD_SPEC_500_INTERNAL' }],
    ['the store', storeFailure('disk full', null), { code: 'WYRD_SPEC_500_INTERNAL' }],
    ['a dependency', new Problem('WYRD_VERIFICATION_502_DEPENDENCY_FAILED', 'why'), { message: 'why' }],
  ])('is tried three times when %s fails it', async (_what, thrown, error) => {
    const admitted = await admit();
    const failing = () => Promise.reject(thrown);
    expect(await attempt(admitted, failing)).toEqual({ kind: 'postponed', not_before: t0 + 5_000 });
    expect(await attempt(admitted, failing)).toBeNull();
    await admitted.clock.advance(5_000);
    expect(await attempt(admitted, failing)).toEqual({ kind: 'postponed', not_before: t0 + 35_000 });
    await admitted.clock.advance(30_000);
    expect(await attempt(admitted, failing)).toEqual({ kind: 'settled', status: 'errored' });
    const ended = await admitted.find();
    expect(ended).toMatchObject({ status: 'errored', attempts: 3, verdict: null, result: null, error });
    expect(JSON.stringify(ended)).not.toContain('secret-token');
  });

  it('is not tried again when that cannot help', async () => {
    const admitted = await admit();
    const gone = new Problem('WYRD_VERIFICATION_404_TARGET_NOT_FOUND', `gone ${'x'.repeat(5_000)}`);
    expect(await attempt(admitted, () => Promise.reject(gone))).toEqual({ kind: 'settled', status: 'errored' });
    expect((await admitted.find()).error?.message).toHaveLength(1_000);
  });

  it('stores its result as soon as the store takes it, within thirty seconds', async () => {
    const admitted = await admit();
    const { attempts } = admitted.ports;
    let refusals = 4;
    const settle: typeof attempts.settle = async (...call) => {
      refusals -= 1;
      if (refusals >= 0) throw storeFailure('full', null);
      return attempts.settle(...call);
    };
    const flaky = { ...admitted, ports: { ...admitted.ports, attempts: { ...attempts, settle } } };
    const running = attempt(flaky, finished);
    await admitted.clock.advance(10_000);
    expect(await running).toEqual({ kind: 'settled', status: 'completed' });
    expect(await admitted.find()).toMatchObject({ status: 'completed', attempts: 1 });
  });

  it('stops when it is cancelled, and writes nothing', async () => {
    const admitted = await admit();
    const running = attempt(admitted, async ({ signal }) => {
      await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
      return { kind: 'cancelled' };
    });
    await admitted.clock.advance(500);
    const { execution_id } = admitted.execution;
    expect(await admitted.ports.attempts.cancel(tenant, execution_id, '2026-03-02T09:00:00.500Z')).toBe('flagged');
    const cancelled = await admitted.find();
    await admitted.clock.advance(1_000);
    expect(await running).toEqual({ kind: 'lost' });
    expect(await admitted.find()).toEqual(cancelled);
  });

  it('gives its work back when the host stops', async () => {
    const admitted = await admit();
    const stop = new AbortController();
    const running = attempt(
      admitted,
      async (input) => {
        stop.abort(new Error('the host stops'));
        return drive(admitted.ports.effects, input, () => Promise.reject(new Error('aborted')));
      },
      stop.signal,
    );
    expect(await running).toEqual({ kind: 'postponed', not_before: t0 });
    expect(await admitted.find()).toMatchObject({ status: 'retrying', attempts: 0 });
  });
});
