import type { JsonObject } from '#contract/json.ts';
import { ringDue } from '#service/alarms/ring-due.ts';
import { createKey } from '#service/auth/keys.ts';
import { rolePermissions } from '#service/auth/permissions.ts';
import { declareCards } from '#service/cards/declare.ts';
import type { Execution } from '#service/ports/executions.ts';
import type { Occurrence } from '#service/ports/schedules.ts';
import { backgroundWorld, type OpenStores } from './background-world.ts';
import { card, desk, sibling, uniqueKey } from './embedded-host.ts';
import { millisecondsOf } from './group-case.ts';
import type { ScheduleCase } from './schedule-case.ts';

export interface ScheduleRun {
  /** In the order of their windows. */
  readonly admitted: readonly Execution[];
  /** Oldest first, without those that were admitted. */
  readonly skipped: readonly Occurrence[];
}

const tenant = 'main';

/** Runs a schedule on the stores of one host; `schedulers` look at the same moments, each second that nobody is down. */
export async function runScheduleCase(one: ScheduleCase, open: OpenStores): Promise<ScheduleRun> {
  const { start = '', until = '+0s', down, schedulers = 1 } = one.given;
  const began = Date.parse(start);
  const time = { now: began };
  await using opened = await open({ now: () => time.now, sleep: async () => {} });
  const world = backgroundWorld(began, opened.stores, time);
  const binding_id = await declare(one, world.ports());
  const ends = began + millisecondsOf(until);
  const [from, to] = (down ?? ['+0s', '+0s']).map((text) => began + millisecondsOf(text)) as [number, number];
  const ports = world.ports();
  while (world.now <= ends) {
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
  const owner = await declareSchedule(ports, trigger);
  await createKey(ports, { tenant, name: 'owner', role: 'workload', card_uid: owner });
  const times = exchanges?.map((text) => Date.parse(text)) ?? [ports.clock.now()];
  for (const at of times) await ports.registry.activate(tenant, owner, at);
  const [binding] = await ports.registry.bindingsOf(tenant, owner);
  return binding?.binding_id ?? '';
}

/** Declares a window Verifier that runs on a trigger; answers the uid of its owner. Throws what refuses it. */
export async function declareSchedule(ports: Ports, trigger: JsonObject): Promise<string> {
  const administrator = {
    tenant,
    id: 'administrator',
    permissions: new Set(rolePermissions.admin),
    verifier_uids: null,
    card_uid: null,
  };
  const [prompt, agent] = desk();
  const bound = { verifier: sibling('Verifier', 'steady'), runs_on: trigger };
  const component = { alias: 'agent', ref: sibling('Agent', 'desk-agent'), verified_by: [bound] };
  const submissions = [
    prompt as JsonObject,
    agent as JsonObject,
    card('Verifier', 'steady', steadySpec),
    card('Service', 'desk', { components: [component] }),
  ];
  const { answer } = await declareCards(ports, administrator, { submissions, key: uniqueKey() });
  return answer.root.uid ?? '';
}

/** A window Verifier that needs no baseline. */
export const steadySpec: JsonObject = {
  inputs: { sample: { type: 'samples', features: ['latency'] } },
  requirements: [
    {
      id: 'steady',
      statement: 'The latency is steady',
      check: {
        kind: 'drift',
        on: 'inputs.sample',
        method: 'Custom',
        signal: { kind: 'Metric', name: 'latency' },
        condition: { kind: 'Statistical' },
        profile: { kind: 'Custom', metric_name: 'latency', baseline_value: 1, alert_threshold: 1 },
      },
    },
  ],
};
