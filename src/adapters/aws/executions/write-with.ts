import { type Consequences, noConsequences } from '#service/ports/consequences.ts';
import type { GroupTouch } from '#service/ports/group-touch.ts';
import type { BackgroundStore } from '../background/background-store.ts';
import { dispatchPut } from '../background/dispatches.ts';
import { dueUpdate, headUpdate, memberPut } from '../background/groups.ts';
import { type TransactItem, transact } from '../dynamo/transact.ts';

/**
 * One transaction of `items` and what follows from them. False: one of their conditions, or that of the group's head, did
 * not hold, and nothing was written.
 */
export async function writeWith(
  store: BackgroundStore,
  tenant: string,
  executionId: string,
  items: readonly TransactItem[],
  consequences: Partial<Consequences>,
): Promise<boolean> {
  const { touches, dispatches, head } = { ...noConsequences, ...consequences };
  const due = new Map(touches.flatMap((touch) => (touch.due_at === null ? [] : [[touch, touch.due_at] as const])));
  const fixed = [
    ...items,
    ...(head === null ? [] : [headUpdate(store, tenant, executionId, head)]),
    ...dispatches.map((dispatch) => dispatchPut(store, tenant, dispatch)),
    ...touches.map((touch) => memberPut(store, tenant, touch)),
  ];
  for (;;) {
    const moved = [...due.keys()];
    const updates = moved.map((touch) => dueUpdate(store, tenant, touch, due.get(touch) ?? 0));
    const refused = await transact(store.dynamo, [...fixed, ...updates]);
    if (refused.length === 0) return true;
    if (refused.some((position) => position < fixed.length)) return false;
    // Those groups are due later already.
    for (const position of refused) due.delete(moved[position - fixed.length] as GroupTouch);
  }
}
