import { ringDue } from '#service/alarms/ring-due.ts';
import { createKey } from '#service/auth/keys.ts';
import type { Execution } from '#service/ports/executions.ts';
import type { Occurrence } from '#service/ports/schedules.ts';
import { backgroundWorld, type OpenStores } from './background-world.ts';
import { chartedCheck, declareWindow, steadyCheck } from './declare-window.ts';
import { millisecondsOf } from './group-case.ts';
import type { ScheduleCase } from './schedule-case.ts';
import { fitAll } from './window-conformance.ts';

export interface ScheduleRun {
  /** In the order of their windows. */
  readonly admitted: readonly Execution[];
  /** Oldest first, without those that were admitted. */
  readonly skipped: readonly Occurrence[];
}

const tenant = 'main';

/** Runs a schedule on the stores of one host; `schedulers` look at the same moments, each second that nobody is down. */
export async function runScheduleCase(one: ScheduleCase, open: OpenStores): Promise<ScheduleRun> {
  const { start = '', until = '+0s', down, schedulers = 1, ready_from } = one.given;
  const began = Date.parse(start);
  const time = { now: began };
  await using opened = await open({ now: () => time.now, sleep: async () => {} });
  const world = backgroundWorld(began, opened.stores, time);
  const binding_id = await declare(one, world.ports());
  const ends = began + millisecondsOf(until);
  const [from, to] = (down ?? ['+0s', '+0s']).map((text) => began + millisecondsOf(text)) as [number, number];
  const ports = world.ports();
  let readyAt = ready_from === undefined ? Number.POSITIVE_INFINITY : began + millisecondsOf(ready_from);
  while (world.now <= ends) {
    if (world.now >= readyAt) {
      const verifierUid = (await ports.registry.binding(tenant, binding_id))?.verifier_uid ?? '';
      await fitAll(ports, verifierUid, { latency: { $cycle: { values: [1, 2, 3, 2], count: 80 } } }, world.now);
      readyAt = Number.POSITIVE_INFINITY;
    }
    const isDown = world.now >= from && world.now < to;
    if (!isDown) await Promise.all(Array.from({ length: schedulers }, () => ringDue(ports)));
    const [first] = await ports.dueRows.due({ now: Number.MAX_SAFE_INTEGER / 1_000, limit: 1 });
    const next = Math.max(first?.due_at ?? Number.POSITIVE_INFINITY, world.now + 1_000);
    world.now = next >= from && next < to ? to : next;
  }
  const { items } = await ports.executions.list(tenant, { binding: binding_id }, { limit: 100, after: null });
  const found = await Promise.all(items.map(({ execution_id }) => ports.executions.find(tenant, execution_id)));
  const occurrences = await ports.schedules.occurrences(tenant, binding_id);
  return {
    admitted: found.filter((execution) => execution !== null).reverse(),
    skipped: occurrences.filter(({ status }) => status !== 'admitted').reverse(),
  };
}

type Ports = ReturnType<ReturnType<typeof backgroundWorld>['ports']>;

/** An owner with a key of its own, active since the last of its exchanges. */
async function declare(one: ScheduleCase, ports: Ports): Promise<string> {
  const { trigger = {}, exchanges } = one.given;
  const check = one.given.ready_from === undefined ? steadyCheck : chartedCheck;
  const { owner_uid: owner } = await declareWindow(ports, { steady: check }, trigger);
  await createKey(ports, { tenant, name: 'owner', role: 'workload', card_uid: owner });
  const times = exchanges?.map((text) => Date.parse(text)) ?? [ports.clock.now()];
  for (const at of times) await ports.registry.activate(tenant, owner, at);
  const [binding] = await ports.registry.bindingsOf(tenant, owner);
  return binding?.binding_id ?? '';
}
