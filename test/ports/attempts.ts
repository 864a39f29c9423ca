import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { Attempts, Overdue, Released, Settled } from '#service/ports/attempts.ts';
import type { Execution, Executions } from '#service/ports/executions.ts';
import type { Idempotency, IdempotencyRow } from '#service/ports/idempotency.ts';
import { recordOf, settledExecution } from './executions.ts';

export interface AttemptStore {
  readonly attempts: Attempts;
  readonly executions: Executions;
  readonly idempotency: Idempotency;
}

const t0 = Date.parse('2026-03-02T09:00:00.000Z');
const day = 86_400_000;

function pending(more: Partial<Execution> = {}): Execution {
  const born = { status: 'pending', verdict: null, origin: 'enqueue', ended_at: null, result: null } as const;
  return settledExecution({ ...born, created_at: new Date(t0).toISOString(), ...more });
}

function rowOf(execution: Execution, more: Partial<IdempotencyRow> = {}): IdempotencyRow {
  return {
    principal: 'p',
    method: 'POST',
    path: '/v1/verification/enqueue',
    key: `key-${execution.execution_id}`,
    body_sha256: 'ab'.repeat(32),
    answer: JSON.stringify({ execution_id: execution.execution_id }),
    created_at: t0,
    ...more,
  };
}

const completed: Settled = {
  status: 'completed',
  verdict: 'failed',
  result: '{"z":1,  "a":[1e3]}',
  record: recordOf(),
  error: null,
  ended_at: new Date(t0 + 9_000).toISOString(),
};
const error = { code: 'WYRD_SPEC_500_INTERNAL', message: 'the attempt failed on our side' };
const claimAt = (lease: string, now = t0) => ({ lease, now, lease_until: now + 360_000 });

/** The life of a background execution (docs/spec/background.md §1, §2, §11). Every condition is one of the write. */
export function testAttempts(name: string, make: () => Promise<AttemptStore>): void {
  const tenant = 'acme';

  async function admitted(execution = pending()) {
    const store = await make();
    expect(await store.attempts.admit(tenant, execution, rowOf(execution))).toBe('admitted');
    const { execution_id: id } = execution;
    const find = async () => (await store.executions.find(tenant, id)) as Execution;
    const look = (now: number) => store.attempts.overdue({ now, pendingBefore: now, limit: 10 });
    return { ...store, execution, id, find, look };
  }

  async function running() {
    const store = await admitted();
    await store.attempts.claim(tenant, store.id, claimAt('one'));
    return store;
  }

  describe(`Attempts: ${name}`, () => {
    it('keeps execution and key of what it admitted, for its tenant alone', async () => {
      const { execution, id, find, executions, idempotency } = await admitted(pending({ group_id: 'g', run_id: 'r' }));
      expect(await find()).toEqual({ ...execution, attempts: 0 });
      expect(await executions.find('other', id)).toBeNull();
      expect(await idempotency.find(tenant, rowOf(execution), 0)).toEqual(rowOf(execution));
      expect((await executions.list(tenant, { status: 'pending' }, { limit: 5, after: null })).items).toHaveLength(1);
    });

    it('writes nothing when the key is taken', async () => {
      const { attempts, executions, execution, id } = await admitted();
      const second = pending();
      expect(await attempts.admit(tenant, second, rowOf(execution))).toBe('key_taken');
      expect(await executions.find(tenant, second.execution_id)).toBeNull();
      expect(await attempts.unsettled(tenant)).toBe(1);
      expect((await executions.list(tenant, {}, { limit: 5, after: null })).items[0]?.execution_id).toBe(id);
    });

    it('takes a lapsed key anew, and the key of another principal or tenant', async () => {
      const { attempts, execution } = await admitted();
      const row = rowOf(execution);
      expect(await attempts.admit(tenant, pending(), { ...row, principal: 'q' })).toBe('admitted');
      expect(await attempts.admit('other', pending(), row)).toBe('admitted');
      expect(await attempts.admit(tenant, pending(), { ...row, created_at: t0 + 7 * day })).toBe('key_taken');
      expect(await attempts.admit(tenant, pending(), { ...row, created_at: t0 + 7 * day + 1 })).toBe('admitted');
    });

    it('lets one of many calls with one key through', async () => {
      const { attempts } = await make();
      const all = Array.from({ length: 8 }, () => pending());
      const row = rowOf(all[0]!);
      const answers = await Promise.all(all.map((one) => attempts.admit(tenant, one, row)));
      expect(answers.filter((answer) => answer === 'admitted')).toHaveLength(1);
      expect(await attempts.unsettled(tenant)).toBe(1);
    });

    it('counts what is not settled, a tenant alone', async () => {
      const { attempts, id } = await running();
      expect(await attempts.admit(tenant, pending(), rowOf(pending()))).toBe('admitted');
      expect(await attempts.unsettled(tenant)).toBe(2);
      expect(await attempts.unsettled('other')).toBe(0);
      await attempts.settle(tenant, id, 'one', completed);
      expect(await attempts.unsettled(tenant)).toBe(1);
    });

    it('gives a pending execution to one of many claims', async () => {
      const { attempts, id, find } = await admitted();
      const claims = await Promise.all(['a', 'b', 'c'].map((lease) => attempts.claim(tenant, id, claimAt(lease))));
      const [claimed, ...more] = claims.filter((claim) => claim !== null);
      expect(more).toEqual([]);
      expect(claimed).toMatchObject({ attempt: 1, lease_until: t0 + 360_000, execution: { status: 'running' } });
      expect(await find()).toMatchObject({ status: 'running', attempts: 1 });
      expect(await attempts.claim('other', id, claimAt('d'))).toBeNull();
      expect(await attempts.claim(tenant, v7(), claimAt('d'))).toBeNull();
    });

    it('answers a claim repeated under its lease the same, and counts it once', async () => {
      const { attempts, id, find } = await admitted();
      const first = await attempts.claim(tenant, id, claimAt('one'));
      expect(await attempts.claim(tenant, id, claimAt('one', t0 + 50_000))).toEqual(first);
      expect((await find()).attempts).toBe(1);
    });

    it('settles under its lease, once, all of it', async () => {
      const { attempts, id, find, execution } = await running();
      expect(await attempts.settle(tenant, id, 'two', completed)).toBe(false);
      expect(await attempts.settle('other', id, 'one', completed)).toBe(false);
      expect((await find()).status).toBe('running');
      expect(await attempts.settle(tenant, id, 'one', completed)).toBe(true);
      expect(await find()).toEqual({ ...execution, ...completed, attempts: 1 });
      expect(await attempts.settle(tenant, id, 'one', { ...completed, verdict: 'passed', result: '{}' })).toBe(false);
      expect(await find()).toEqual({ ...execution, ...completed, attempts: 1 });
      expect(await attempts.claim(tenant, id, claimAt('three', t0 + day))).toBeNull();
      expect(await attempts.isStopped(tenant, id, 'one')).toBe(true);
    });

    it.each<Settled>([
      { ...completed, status: 'errored', verdict: null, result: null, record: null, error },
      { ...completed, status: 'timed_out', verdict: null, result: null, record: null, error },
    ])('settles as $status without verdict and result', async (settled) => {
      const { attempts, id, find } = await running();
      expect(await attempts.settle(tenant, id, 'one', settled)).toBe(true);
      expect(await find()).toMatchObject({ ...settled, verdict: null, result: null });
    });

    it('postpones under its lease, and is claimable from its time on', async () => {
      const { attempts, id, find, look } = await running();
      const retry = { not_before: t0 + 5_000, error, counts: true };
      expect(await attempts.postpone(tenant, id, 'two', retry)).toBe(false);
      expect(await attempts.postpone(tenant, id, 'one', retry)).toBe(true);
      expect(await attempts.postpone(tenant, id, 'one', retry)).toBe(false);
      expect(await attempts.settle(tenant, id, 'one', completed)).toBe(false);
      expect(await find()).toMatchObject({ status: 'retrying', attempts: 1, error });
      expect(await look(t0 + 4_999)).toEqual([]);
      expect(await look(t0 + 5_000)).toEqual([{ tenant, execution_id: id, status: 'retrying', attempts: 1 }]);
      expect(await attempts.claim(tenant, id, claimAt('two', t0 + 4_999))).toBeNull();
      expect(await attempts.claim(tenant, id, claimAt('two', t0 + 5_000))).toMatchObject({ attempt: 2 });
    });

    it('does not count an attempt that was given back', async () => {
      const { attempts, id } = await running();
      await attempts.postpone(tenant, id, 'one', { not_before: t0, error, counts: false });
      expect(await attempts.claim(tenant, id, claimAt('two'))).toMatchObject({ attempt: 1 });
    });

    it.each<[string, 'cancelled' | 'flagged', boolean]>([
      ['pending', 'cancelled', false],
      ['running', 'flagged', true],
    ])('cancels a %s execution at once', async (_state, expected, claimed) => {
      const { attempts, id, find } = claimed ? await running() : await admitted();
      const at = new Date(t0 + 1_000).toISOString();
      if (claimed) expect(await attempts.isStopped(tenant, id, 'one')).toBe(false);
      expect(await attempts.cancel('other', id, at)).toBe('unknown');
      expect(await attempts.cancel(tenant, id, at)).toBe(expected);
      const cancelled = { status: 'cancelled', verdict: null, result: null, ended_at: at };
      expect(await find()).toMatchObject({ ...cancelled, error: { code: 'WYRD_SPEC_409_CONFLICT' } });
      expect(await attempts.cancel(tenant, id, at)).toBe('settled');
      expect(await attempts.isStopped(tenant, id, 'one')).toBe(true);
      expect(await attempts.settle(tenant, id, 'one', completed)).toBe(false);
      expect(await attempts.claim(tenant, id, claimAt('two'))).toBeNull();
      expect(await attempts.unsettled(tenant)).toBe(0);
    });

    it('cancels a retrying execution, and knows settled and unknown ones', async () => {
      const { attempts, id, find } = await running();
      await attempts.postpone(tenant, id, 'one', { not_before: t0, error, counts: true });
      expect(await attempts.cancel(tenant, id, completed.ended_at)).toBe('cancelled');
      expect(await find()).toMatchObject({ status: 'cancelled', attempts: 1 });
      expect(await attempts.cancel(tenant, v7(), completed.ended_at)).toBe('unknown');
    });

    it('lets one of settle and cancel win', async () => {
      const { attempts, id, find } = await running();
      const [settled, cancelled] = await Promise.all([
        attempts.settle(tenant, id, 'one', completed),
        attempts.cancel(tenant, id, completed.ended_at),
      ]);
      expect(cancelled).toBe(settled ? 'settled' : 'flagged');
      expect((await find()).status).toBe(settled ? 'completed' : 'cancelled');
    });

    it('shows what waits too long, oldest first, of all tenants', async () => {
      const { attempts } = await make();
      const places: [string, number][] = [
        ['acme', t0 + 2_000],
        ['bolt', t0 + 1_000],
        ['acme', t0 + 9_000],
      ];
      const ids: string[] = [];
      for (const [of, at] of places) {
        const one = pending({ created_at: new Date(at).toISOString() });
        ids.push(one.execution_id);
        await attempts.admit(of, one, rowOf(one));
      }
      const look = { now: t0 + 60_000, pendingBefore: t0 + 9_000, limit: 10 };
      const seen = (rows: readonly Overdue[]) => rows.map((row) => row.execution_id);
      expect(seen(await attempts.overdue(look))).toEqual([ids[1], ids[0]]);
      expect(seen(await attempts.overdue({ ...look, limit: 1 }))).toEqual([ids[1]]);
      expect(seen(await attempts.overdue({ ...look, pendingBefore: t0 }))).toEqual([]);
    });

    const ended: Released = { now: t0 + 360_001, to: 'errored', error, ended_at: completed.ended_at };
    it.each<[string, Released, object]>([
      [
        'retrying',
        { now: t0 + 360_001, to: 'retrying', not_before: t0 + 360_001 },
        { status: 'retrying', attempts: 1 },
      ],
      ['errored', ended, { status: 'errored', error, verdict: null, result: null, ended_at: completed.ended_at }],
    ])('releases a lapsed lease to %s, once', async (_to, release, expected) => {
      const { attempts, id, find, look } = await running();
      expect(await look(t0 + 360_000)).toEqual([]);
      expect(await attempts.release(tenant, id, { ...release, now: t0 + 360_000 })).toBe(false);
      expect(await look(t0 + 360_001)).toEqual([{ tenant, execution_id: id, status: 'running', attempts: 1 }]);
      const both = [attempts.release(tenant, id, release), attempts.release(tenant, id, release)];
      expect((await Promise.all(both)).sort()).toEqual([false, true]);
      expect(await find()).toMatchObject(expected);
      expect(await attempts.settle(tenant, id, 'one', completed)).toBe(false);
      const next = await attempts.claim(tenant, id, claimAt('two', t0 + 360_001));
      expect(next?.attempt).toBe(release.to === 'retrying' ? 2 : undefined);
    });

    it('keeps a result of five megabytes byte for byte', async () => {
      const { attempts, id, find } = await running();
      const result = JSON.stringify({ text: 'é'.repeat(2_500_000) });
      expect(await attempts.settle(tenant, id, 'one', { ...completed, result })).toBe(true);
      expect((await find()).result).toBe(result);
    });
  });
}
