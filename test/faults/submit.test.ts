import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkConfig } from '#local/config.ts';
import { startHost } from '#local/host.ts';
import { openStore } from '#local/open-store.ts';
import type { ExecutionSummary } from '#service/ports/executions.ts';
import { controlledClock } from '#test/support/controlled-clock.ts';
import { callerOf, uniqueKey } from '#test/support/embedded-host.ts';
import { declareJudgedDesk, submit, type Target, verdictOf } from '#test/support/judged-desk.ts';
import { startFaultHost } from '#test/support/start-fault-host.ts';

/**
 * docs/spec/background.md §11, rows 1–7: the process is killed at a write point, and then nothing acknowledged is lost,
 * nothing is doubled, and attempts count as the table says.
 */
const long = process.env.TOUCHSTONE_LONG === '1';
const silent = { info() {}, warn() {}, error() {} };
let template: string;
let target: Target;

beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), 'touchstone-faults-'));
  const host = await startHost(checkConfig({ port: 0, data: template }), { log: silent });
  target = await declareJudgedDesk(callerOf(host.url));
  await host.close();
});
afterAll(() => rm(template, { recursive: true, force: true }));

async function copyOfTemplate(): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), 'touchstone-fault-'));
  await cp(template, data, { recursive: true });
  return data;
}

/** What the client saw: an id, or a broken connection. */
async function submitted(url: string, key: string, answer: unknown): Promise<string | null> {
  try {
    const answered = await submit(url, target, answer, key);
    expect(answered.status).toBe(202);
    return answered.json.execution_id as string;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

async function stored(data: string): Promise<readonly ExecutionSummary[]> {
  const store = await openStore(data);
  try {
    return (await store.executions.list('local', {}, { limit: 200, after: null })).items;
  } finally {
    await store.close();
  }
}

/** Another process opens the folder, with a clock that the test moves. */
async function restarted(data: string) {
  const clock = controlledClock(Date.now());
  const judged = { calls: 0 };
  const host = await startHost(checkConfig({ port: 0, data }), {
    log: silent,
    clock,
    perform: async () => {
      judged.calls += 1;
      return verdictOf('passed');
    },
  });
  const stateOf = async (id: string) => (await callerOf(host.url)('GET', `/v1/verification/executions/${id}`)).json;
  const until = async (id: string, status: string) => {
    for (let look = 0; look < 200; look += 1) {
      const state = await stateOf(id);
      if (state.status === status) return state;
      await clock.advance(50);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`never ${status}`);
  };
  return { host, clock, judged, stateOf, until };
}

async function killedAt(data: string, at: number | 'judge', key: string): Promise<string | null> {
  await using child = await startFaultHost(data, at);
  const id = await submitted(child.url, key, 'fine');
  await child.ended;
  return id;
}

/** The client goes on until it has an id; then the execution must end, once, with this many attempts. */
async function expectRecovery(data: string, key: string, acknowledged: string | null, left: string | null) {
  const { host, clock, judged, stateOf, until } = await restarted(data);
  try {
    const id = (await submitted(host.url, key, 'fine')) ?? '';
    if (acknowledged !== null) expect(id).toBe(acknowledged);
    if (left === 'running') {
      // Its worker may still live for all we know: nobody touches it before the lease ends.
      await clock.advance(340_000);
      expect(await stateOf(id)).toMatchObject({ status: 'running', attempts: 1 });
      await clock.advance(20_000);
    }
    const attempts = left === 'running' ? 2 : 1;
    const ended = await until(id, 'completed');
    expect(ended).toMatchObject({ attempts, result: { outcome: { verdict: 'passed' } }, record: { state: 'signed' } });
    expect(judged.calls).toBe(left === 'completed' ? 0 : 1);
    // The late start of a second worker and more sweeps find nothing to do.
    await clock.advance(400_000);
    expect(await stateOf(id)).toEqual(ended);
    expect(judged.calls).toBe(left === 'completed' ? 0 : 1);
    const again = await submit(host.url, target, 'fine', key);
    expect(again.json).toEqual({ execution_id: id });
    expect((await submit(host.url, target, 'other', key)).status).toBe(409);
  } finally {
    await host.close();
  }
  expect(await stored(data)).toHaveLength(1);
}

/** Write points of one submission in order: enqueue 1–9, claim 10–16, settle 17–24, each the last after its commit. */
const lastPoint = 24;

function leftAt(point: number): string | null {
  if (point <= 8) return null;
  if (point <= 15) return 'pending';
  return point <= 23 ? 'running' : 'completed';
}

const points = Array.from({ length: lastPoint }, (_unused, index) => index + 1);
/** Before, inside and after each of the three transactions. */
const sample = [1, 8, 9, 13, 16, 19, 20, 23, 24];

describe('killed at a write point of one submission', () => {
  it('knows all of them', async () => {
    const data = await copyOfTemplate();
    await using child = await startFaultHost(data, 'never');
    const id = await submitted(child.url, uniqueKey(), 'fine');
    const read = () => callerOf(child.url)('GET', `/v1/verification/executions/${id}`);
    while ((await read()).json.status !== 'completed');
    expect(await child.points()).toBe(lastPoint);
    await rm(data, { recursive: true, force: true });
  });

  it.concurrent.each(long ? points : sample)('point %i', async (point) => {
    const data = await copyOfTemplate();
    try {
      const key = uniqueKey();
      const acknowledged = await killedAt(data, point, key);
      if (point <= 8) expect(acknowledged).toBeNull();
      const left = leftAt(point);
      expect((await stored(data)).map(({ status }) => status)).toEqual(left === null ? [] : [left]);
      await expectRecovery(data, key, acknowledged, left);
    } finally {
      await rm(data, { recursive: true, force: true });
    }
  });

  it('while a judge works', async () => {
    const data = await copyOfTemplate();
    try {
      const key = uniqueKey();
      const acknowledged = await killedAt(data, 'judge', key);
      expect(await stored(data)).toMatchObject([{ status: 'running', attempts: 1 }]);
      await expectRecovery(data, key, acknowledged, 'running');
    } finally {
      await rm(data, { recursive: true, force: true });
    }
  });

  it('after 202, before any work', async () => {
    const data = await copyOfTemplate();
    try {
      const key = uniqueKey();
      const idle = await startFaultHost(data, 'never', 0);
      const acknowledged = await submitted(idle.url, key, 'fine');
      expect(acknowledged).not.toBeNull();
      await idle[Symbol.asyncDispose]();
      expect(await stored(data)).toMatchObject([{ status: 'pending', attempts: 0 }]);
      await expectRecovery(data, key, acknowledged, 'pending');
    } finally {
      await rm(data, { recursive: true, force: true });
    }
  });

  it('three times: the attempts are used up and the execution ends errored', async () => {
    const data = await copyOfTemplate();
    try {
      const acknowledged = await killedAt(data, 'judge', uniqueKey());
      const id = acknowledged ?? (await stored(data))[0]?.execution_id ?? '';
      let now = Date.now();
      for (const attempt of [2, 3]) {
        // The worker dies in the judge again: a host whose clock is past the lease, and then stands still.
        now += 370_000;
        const clock = controlledClock(now);
        const host = await startHost(checkConfig({ port: 0, data, limits: { stop_seconds: 0 } }), {
          log: silent,
          clock,
          perform: () => new Promise(() => {}),
          openStore: async (folder) => {
            const store = await openStore(folder);
            // A killed process gives nothing back.
            return { ...store, attempts: { ...store.attempts, postpone: async () => false } };
          },
        });
        const read = () => callerOf(host.url)('GET', `/v1/verification/executions/${id}`);
        while ((await read()).json.attempts !== attempt);
        await host.close();
      }
      const { host, clock, until } = await restarted(data);
      await clock.advance(now - Date.now() + 370_000);
      const ended = await until(id, 'errored');
      expect(ended).toMatchObject({ attempts: 3, error: { code: 'WYRD_SPEC_500_INTERNAL' } });
      expect(ended.result).toBeUndefined();
      await host.close();
    } finally {
      await rm(data, { recursive: true, force: true });
    }
  });
});

/** Repeatable choices of one seed. */
function chooser(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const seeds = Array.from({ length: long ? 200 : 2 }, (_unused, index) => index + 1);

describe('killed again and again under load', () => {
  it.concurrent.each(seeds)('seed %i', async (seed) => {
    const choose = chooser(seed * 7_919);
    const data = await copyOfTemplate();
    const keys = Array.from({ length: 12 }, () => uniqueKey());
    const acknowledged = new Map<string, Set<string>>();
    const client = async (url: string, key: string) => {
      const id = await submitted(url, key, key);
      if (id !== null) acknowledged.set(key, (acknowledged.get(key) ?? new Set()).add(id));
    };
    try {
      for (let death = 0; death < 2; death += 1) {
        await using child = await startFaultHost(data, 1 + choose(lastPoint * 6));
        const calls = keys.map((key) => client(child.url, key));
        // Where the work is done before the point comes, the kill comes from outside.
        await Promise.race([child.ended, Promise.all(calls).then(() => new Promise((go) => setTimeout(go, 200)))]);
        child.kill();
        await Promise.all(calls);
      }
      const { host, clock, stateOf } = await restarted(data);
      try {
        await Promise.all(keys.map((key) => client(host.url, key)));
        for (let round = 0; round < 4; round += 1) {
          await clock.advance(180_000);
          await new Promise((go) => setTimeout(go, 20));
        }
        for (const key of keys) {
          const [id, ...others] = acknowledged.get(key) ?? [];
          expect(others).toEqual([]);
          const state = await stateOf(id ?? '');
          expect(state).toMatchObject({ status: 'completed', result: { outcome: { verdict: 'passed' } } });
          expect(state.attempts).toBeLessThanOrEqual(3);
          expect(state.result.outcome.evidence.answer.value).toBe(key);
        }
      } finally {
        await host.close();
      }
      expect(await stored(data)).toHaveLength(keys.length);
    } finally {
      await rm(data, { recursive: true, force: true });
    }
  });
});
