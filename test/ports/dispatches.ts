import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { Attempts } from '#service/ports/attempts.ts';
import { type Dispatches, dispatchDueId } from '#service/ports/dispatches.ts';
import type { DueRows } from '#service/ports/due.ts';
import { settleWithDispatches } from '#test/support/settle-with-dispatches.ts';

export interface DispatchStore {
  readonly attempts: Attempts;
  readonly dispatches: Dispatches;
  readonly dueRows: DueRows;
}

const t0 = Date.parse('2026-03-02T09:00:00.000Z');
const http = { kind: 'http', method: 'post', url: 'https://hooks.example.com/' };
const claimAt = (lease: string, now = t0) => ({ lease, now, lease_until: now + 60_000 });

/** The life of a dispatch (docs/spec/background.md §9.2, §9.3). Every condition is one of the write. */
export function testDispatches(name: string, make: () => Promise<DispatchStore>): void {
  const tenant = 'acme';

  async function made(operators = 1) {
    const store = await make();
    const uids = Array.from({ length: operators }, () => ({ uid: v7() }));
    const dispatches = await settleWithDispatches(store, tenant, t0, operators === 1 ? [http] : uids);
    const [place] = dispatches;
    if (place === undefined) throw new Error('no dispatch was made');
    const look = async (now: number) =>
      (await store.dueRows.due({ now, limit: 100 })).filter(({ kind }) => kind === 'dispatch');
    return { ...store, made: dispatches, place, look };
  }

  describe(`Dispatches: ${name}`, () => {
    it('are there with the settled state, due at once, for their tenant alone', async () => {
      const { dispatches, made: all, place, look } = await made(3);
      const found = await dispatches.ofExecution(tenant, place.execution_id);
      expect(found).toEqual(all.map((one) => ({ ...one, status: 'pending', attempts: 0, due_at: t0, error: null })));
      expect(await dispatches.ofExecution('other', place.execution_id)).toEqual([]);
      expect(await dispatches.ofExecution(tenant, v7())).toEqual([]);
      expect((await look(t0 - 1)).length).toBe(0);
      const due = await look(t0);
      expect(new Set(due)).toEqual(
        new Set(all.map((one) => ({ tenant, kind: 'dispatch', id: dispatchDueId(one), due_at: t0 }))),
      );
    });

    it('go to one of many claims, counted, and are not due under a lease', async () => {
      const { dispatches, place, look } = await made();
      expect(await dispatches.claim('other', place, claimAt('x'))).toBeNull();
      expect(await dispatches.claim(tenant, place, claimAt('x', t0 - 1))).toBeNull();
      const claims = await Promise.all(['a', 'b', 'c'].map((lease) => dispatches.claim(tenant, place, claimAt(lease))));
      const [claimed, ...more] = claims.filter((claim) => claim !== null);
      expect(more).toEqual([]);
      expect(claimed).toMatchObject({ status: 'running', attempts: 1, due_at: t0 + 60_000, operator: { body: http } });
      expect(await look(t0 + 59_999)).toEqual([]);
      expect(await look(t0 + 60_000)).toHaveLength(1);
    });

    it('are claimed again when a lease has lapsed; the late worker writes nothing', async () => {
      const { dispatches, place } = await made();
      await dispatches.claim(tenant, place, claimAt('one'));
      expect(await dispatches.claim(tenant, place, claimAt('two', t0 + 59_999))).toBeNull();
      expect(await dispatches.claim(tenant, place, claimAt('two', t0 + 60_000))).toMatchObject({ attempts: 2 });
      expect(await dispatches.end(tenant, place, 'one', { status: 'delivered' })).toBe(false);
      expect(await dispatches.end('other', place, 'two', { status: 'delivered' })).toBe(false);
      expect(await dispatches.end(tenant, place, 'two', { status: 'delivered' })).toBe(true);
      expect(await dispatches.end(tenant, place, 'two', { status: 'delivered' })).toBe(false);
    });

    it('wait for their next attempt with the error of the last', async () => {
      const { dispatches, place, look } = await made();
      await dispatches.claim(tenant, place, claimAt('one'));
      const retry = { status: 'retrying', error: 'provider_transient', due_at: t0 + 30_000 } as const;
      expect(await dispatches.end(tenant, place, 'one', retry)).toBe(true);
      expect(await dispatches.ofExecution(tenant, place.execution_id)).toMatchObject([{ ...retry, attempts: 1 }]);
      expect(await dispatches.claim(tenant, place, claimAt('two', t0 + 29_999))).toBeNull();
      expect(await look(t0 + 29_999)).toEqual([]);
      expect(await look(t0 + 30_000)).toHaveLength(1);
      const again = await dispatches.claim(tenant, place, claimAt('two', t0 + 30_000));
      expect(again).toMatchObject({ status: 'running', attempts: 2, error: 'provider_transient' });
    });

    it.each([
      { status: 'delivered', error: null },
      { status: 'failed', error: 'provider_rejected' },
    ] as const)('end $status: never due, never claimed again', async (ended) => {
      const { dispatches, place, look } = await made();
      await dispatches.claim(tenant, place, claimAt('one'));
      const end = ended.status === 'failed' ? ended : ({ status: 'delivered' } as const);
      expect(await dispatches.end(tenant, place, 'one', end)).toBe(true);
      expect(await dispatches.ofExecution(tenant, place.execution_id)).toMatchObject([{ ...ended, attempts: 1 }]);
      expect(await look(t0 + 86_400_000)).toEqual([]);
      expect(await dispatches.claim(tenant, place, claimAt('two', t0 + 86_400_000))).toBeNull();
    });
  });
}
