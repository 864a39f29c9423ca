import { v7 } from 'uuid';
import type { JsonObject } from '#contract/json.ts';
import { ringDue } from '#service/alarms/ring-due.ts';
import { createKey } from '#service/auth/keys.ts';
import { rolePermissions } from '#service/auth/permissions.ts';
import { declareCards } from '#service/cards/declare.ts';
import { drive } from '#service/drive/drive.ts';
import type { Perform } from '#service/drive/performing.ts';
import type { Execution } from '#service/ports/executions.ts';
import { enqueue } from '#service/submit/enqueue.ts';
import { runAttempt } from '#service/submit/run-attempt.ts';
import { sweepOverdue } from '#service/submit/sweep.ts';
import { backgroundWorld, type OpenStores } from './background-world.ts';
import { conversationDesk } from './conversation-desk.ts';
import { steadyCheck, windowSpec } from './declare-window.ts';
import { card, sibling, uniqueKey } from './embedded-host.ts';
import { noEffects } from './no-effects.ts';
import { type ModelEvidence, type ModelSchedule, minute, type Outage, whenUp } from './week-model.ts';

const tenant = 'main';
const signal = new AbortController().signal;
/** Later than any alarm of a week. */
const never = 8_640_000_000_000;

export interface WeekPlan {
  readonly start: number;
  readonly end: number;
  readonly schedules: readonly ModelSchedule[];
  /** Evidence of each group, in order; ids are `talk-<index>`. */
  readonly groups: readonly (readonly ModelEvidence[])[];
  readonly after_seconds: number;
  readonly outages: readonly Outage[];
  /** When the owner's key was exchanged. */
  readonly exchanges: readonly number[];
  /** What is measured in the window of a schedule that ends then; null: nothing. */
  readonly measured: (schedule: number, end: number) => number | null;
  /** What befalls the first attempt of an execution, by its number in the week. */
  readonly fate: (index: number) => 'runs' | 'start_is_lost' | 'worker_dies';
  /** The clock goes back by ten minutes at these times. */
  readonly setbacks: readonly number[];
}

export interface WeekSeen {
  readonly executions: readonly Execution[];
  readonly bindings: readonly string[];
  readonly occurrences: readonly (readonly { readonly at: string; readonly status: string }[])[];
  readonly dispatches: ReadonlyMap<string, number>;
}

type Event = { readonly at: number; readonly act: () => Promise<void> };

/** Plays a week on the stores of one host: every process that works on them is played here too. */
export async function simulateWeek(plan: WeekPlan, open: OpenStores): Promise<WeekSeen> {
  const time = { now: plan.start };
  await using opened = await open({ now: () => time.now, sleep: async () => {} });
  const world = backgroundWorld(0, opened.stores, time);
  const { owner, uids, bindings } = await declareWeek(plan, world.ports());
  const verifiers = new Map(plan.schedules.map((_schedule, index) => [uids[`steady-${index}`] ?? '', index]));
  const ports = () => {
    const now = world.ports();
    // Nobody delivers here: dispatches are counted as they are made, and would stay due for ever.
    const due: typeof now.dueRows.due = async (asked) =>
      (await now.dueRows.due(asked)).filter(({ kind }) => kind !== 'dispatch');
    return { ...now, dueRows: { due }, drive: measuring(plan, verifiers, now) };
  };
  let admitted = 0;

  const send = async (group: number, { polite }: ModelEvidence) => {
    const request = {
      verifier_card_uid: uids['turn-check'] ?? '',
      card_uid: uids['desk-agent'] ?? '',
      run_id: null,
      group_id: `talk-${group}`,
      inputs: { turn: { kind: 'json', value: polite ? 'hello' : 'shut up' } },
      execution_route_overrides: {},
      deployment_environment: null,
      workload_uid: null,
    } as const;
    const principal = {
      tenant,
      id: 'owner',
      permissions: new Set(rolePermissions.admin),
      verifier_uids: null,
      card_uid: owner,
    };
    const accepted = await enqueue(ports(), principal, { request, key: uniqueKey(), body: {} });
    const { execution_id } = JSON.parse(accepted) as { readonly execution_id: string };
    await runAttempt(ports(), { tenant, execution_id }, signal);
  };
  const begin = async (execution_id: string) => {
    const execution = await ports().executions.find(tenant, execution_id);
    if (execution?.status !== 'pending' || execution.origin === 'enqueue') return;
    admitted += 1;
    const fate = plan.fate(admitted);
    if (fate === 'worker_dies') {
      const now = world.now;
      await ports().attempts.claim(tenant, execution_id, { lease: v7(), now, lease_until: now + 6 * minute });
    } else if (fate === 'runs') await runAttempt(ports(), { tenant, execution_id }, signal);
  };

  const events: Event[] = [
    ...plan.exchanges.map((at) => ({ at, act: () => ports().registry.activate(tenant, owner, world.now) })),
    ...plan.groups.flatMap((evidence, group) => evidence.map((one) => ({ at: one.at, act: () => send(group, one) }))),
    ...plan.outages.map(({ from }) => ({ at: from, act: async () => world.use(await opened.restart()) })),
    ...plan.setbacks.map((at) => ({
      at,
      act: async () => {
        time.now -= 10 * minute;
      },
    })),
  ].sort((one, other) => one.at - other.at);
  for (;;) {
    while ((events[0]?.at ?? never) <= world.now) await events.shift()?.act();
    const isUp = whenUp(world.now, plan.outages) === world.now;
    const before = world.started.length;
    if (isUp) {
      // Two of them, as a deployment may have. After the week only what is unsettled comes to its end.
      if (world.now <= plan.end) await Promise.all([ringDue(ports()), ringDue(ports())]);
      for (const id of world.started.slice(before)) await begin(id);
      // What nobody works on is found by the sweep, and its attempt is run here.
      const open = await ports().attempts.overdue({ now: world.now, pendingBefore: world.now - minute, limit: 100 });
      if (open.length > 0) {
        await sweepOverdue(ports());
        for (const { execution_id } of open) await runAttempt(ports(), { tenant, execution_id }, signal);
      }
    }
    const [due] = await ports().dueRows.due({ now: never, limit: 1 });
    const unsettled = await ports().attempts.overdue({ now: never, pendingBefore: never, limit: 1 });
    const sweep = unsettled.length > 0 ? world.now + minute : never;
    const next = Math.min(events[0]?.at ?? never, Math.max(due?.due_at ?? never, world.now + 1_000), sweep);
    if (next > plan.end && unsettled.length === 0) break;
    world.now = whenUp(Math.max(next, world.now), plan.outages);
  }
  return await gather(ports(), bindings);
}

type Ports = ReturnType<ReturnType<typeof backgroundWorld>['ports']>;

/** One Service: its turns and their conversation, and a window Verifier on each schedule. */
async function declareWeek({ schedules, after_seconds }: WeekPlan, ports: Ports) {
  const administrator = {
    tenant,
    id: 'administrator',
    permissions: new Set(rolePermissions.admin),
    verifier_uids: null,
    card_uid: null,
  };
  const hook = (path: string) => ({ kind: 'http', method: 'post', url: `https://hooks.example.com/${path}` });
  const runs_on = { kind: 'group_end', after: `${after_seconds}s` };
  const desk = conversationDesk({ runs_on, on_verdict_change: [hook('changed')] });
  const names = schedules.map((_schedule, index) => `steady-${index}`);
  const verifiers = names.map((name) => card('Verifier', name, windowSpec({ steady: steadyCheck })));
  const service = desk.at(-1) as JsonObject;
  const spec = service.spec as unknown as { components: { verified_by: JsonObject[] }[] };
  for (const [index, { minute: past, hour: of }] of schedules.entries()) {
    const cron = `${past} ${of ?? '*'} * * *`;
    spec.components[0]?.verified_by.push({
      verifier: sibling('Verifier', names[index] ?? ''),
      runs_on: { kind: 'schedule', cron },
      on_failure: [hook('failed')],
    });
  }
  const submissions = [...desk.slice(0, -1), ...verifiers, service];
  const { answer } = await declareCards(ports, administrator, { submissions, key: uniqueKey() });
  const uids = Object.fromEntries(answer.outcomes.map(({ card_ref }) => [card_ref.name, card_ref.uid ?? '']));
  const owner = uids.desk ?? '';
  await createKey(ports, { tenant, name: 'owner', role: 'workload', card_uid: owner });
  const found = await ports.registry.bindingsOf(tenant, owner);
  const bindings = names.map((name) => found.find(({ verifier_uid }) => verifier_uid === uids[name])?.binding_id ?? '');
  return { owner, uids, bindings };
}

/** The driver, with a window that holds what the plan says. */
function measuring(plan: WeekPlan, schedules: ReadonlyMap<string, number>, { evidence, clock }: Ports): Ports['drive'] {
  const unused = async () => {
    throw new Error('nothing of the week asks for it');
  };
  const effects = {
    clock,
    log: { info() {}, warn() {}, error() {} },
    evidence,
    ...noEffects,
  };
  return (input) => {
    const perform: Perform = async (_ports, _input, work) => {
      if (work.kind !== 'drift') return unused();
      const schedule = schedules.get(input.verifier_uid ?? '') ?? -1;
      const value = plan.measured(schedule, Date.parse(work.window.end));
      const features = [{ feature: 'latency', method: 'Custom', values: 1, sum: value ?? 0 }] as const;
      const window = { records: value === null ? 0 : 1, flaw: null, features };
      return { result: { kind: 'window', fit: null, window } };
    };
    return drive(effects, input, perform);
  };
}

async function gather(ports: Ports, bindings: readonly string[]): Promise<WeekSeen> {
  const executions: Execution[] = [];
  for (const origin of ['schedule', 'group_end'] as const) {
    for (let after: string | null = null; ; ) {
      const page = await ports.executions.list(tenant, { origin }, { limit: 200, after });
      const found = await Promise.all(
        page.items.map(({ execution_id }) => ports.executions.find(tenant, execution_id)),
      );
      executions.push(...found.filter((one) => one !== null));
      after = page.next;
      if (after === null) break;
    }
  }
  const dispatches = new Map<string, number>();
  for (const { execution_id } of executions) {
    const made = await ports.dispatches.ofExecution(tenant, execution_id);
    if (made.length > 0) dispatches.set(execution_id, made.length);
  }
  const occurrences = await Promise.all(bindings.map((binding) => ports.schedules.occurrences(tenant, binding)));
  return { executions, bindings, occurrences, dispatches };
}
