import { describe, expect, it } from 'vitest';
import type { Attempts } from '#service/ports/attempts.ts';
import type { DueRows } from '#service/ports/due.ts';
import type { Executions } from '#service/ports/executions.ts';
import { groupDueId } from '#service/ports/groups.ts';
import { settleWithDispatches } from '#test/support/settle-with-dispatches.ts';
import { someGroup, groupStart as t0, touchOf } from '#test/support/stored-group.ts';
import { settledExecution } from './executions.ts';

export interface DueStore {
  readonly attempts: Attempts;
  readonly executions: Executions;
  readonly dueRows: DueRows;
}

/** What a sweep finds (docs/spec/background.md §10, alarms; §11 row 10). */
export function testDueRows(name: string, make: () => Promise<DueStore>): void {
  async function dueGroup({ executions }: DueStore, tenant: string, at: number): Promise<string> {
    const place = someGroup();
    await executions.storeSettled(tenant, settledExecution(), [touchOf(place, at)]);
    return groupDueId(place);
  }

  describe(`DueRows: ${name}`, () => {
    it('are those of all tenants whose time has come, oldest first, with whole ids', async () => {
      const store = await make();
      const times = [5, 1, 4, 0, 3, 2];
      const made = await Promise.all(
        times.map(async (ms, index) => {
          const tenant = index % 2 === 0 ? 'acme' : 'other';
          return { tenant, kind: 'group', id: await dueGroup(store, tenant, t0 + ms), due_at: t0 + ms };
        }),
      );
      const inOrder = made.toSorted((left, right) => left.due_at - right.due_at);
      expect(await store.dueRows.due({ now: t0 - 1, limit: 10 })).toEqual([]);
      expect(await store.dueRows.due({ now: t0 + 3, limit: 10 })).toEqual(inOrder.slice(0, 4));
      expect(await store.dueRows.due({ now: t0 + 9, limit: 10 })).toEqual(inOrder);
    });

    it('are the oldest when there are more', async () => {
      const store = await make();
      const ids: string[] = [];
      for (let ms = 0; ms < 12; ms += 1) ids.push(await dueGroup(store, 'acme', t0 + ms));
      const found = await store.dueRows.due({ now: t0 + 60_000, limit: 5 });
      expect(found.map(({ id }) => id)).toEqual(ids.slice(0, 5));
    });

    it('keep none of another kind waiting', async () => {
      const store = await make();
      for (let ms = 0; ms < 6; ms += 1) await dueGroup(store, 'acme', t0 + ms);
      const [dispatch] = await settleWithDispatches(store, 'acme', t0 + 1_000, [{ kind: 'http' }]);
      const found = await store.dueRows.due({ now: t0 + 60_000, limit: 3 });
      expect(found.map(({ kind }) => kind)).toEqual(['group', 'group', 'group', 'dispatch']);
      expect(found.at(-1)?.id).toBe(`${dispatch?.execution_id}#${dispatch?.dispatch_id}`);
    });
  });
}
