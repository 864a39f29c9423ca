import type { JsonObject } from '#contract/json.ts';
import { ringDue } from '#service/alarms/ring-due.ts';
import { createKey } from '#service/auth/keys.ts';
import { rolePermissions } from '#service/auth/permissions.ts';
import type { Principal } from '#service/auth/principal.ts';
import { declareCards } from '#service/cards/declare.ts';
import type { Dispatch } from '#service/ports/dispatches.ts';
import type { Execution } from '#service/ports/executions.ts';
import type { Group } from '#service/ports/groups.ts';
import { storeFailure } from '#service/ports/store-failure.ts';
import { enqueue } from '#service/submit/enqueue.ts';
import { runAttempt } from '#service/submit/run-attempt.ts';
import { storeResult } from '#service/verify/store-result.ts';
import { settledExecution } from '#test/ports/executions.ts';
import { type BackgroundWorld, backgroundWorld, type OpenedStores, type OpenStores } from './background-world.ts';
import { card, desk, sibling, uniqueKey } from './embedded-host.ts';
import { type Evidence, type GroupCase, type GroupEvent, millisecondsOf } from './group-case.ts';
import { verdictOf } from './judged-desk.ts';

export const groupCaseStart = Date.parse('2026-03-01T10:00:00.000Z');

/** A judgment of the case's group as it ended, with what it brought about. */
export interface Judgment {
  readonly execution: Execution;
  readonly dispatches: readonly Dispatch[];
}

export interface GroupRun {
  readonly judgments: readonly Judgment[];
  readonly group: Group | null;
  readonly last: string | undefined;
  readonly nameOf: (id: string) => string | undefined;
}

const signal = new AbortController().signal;

/** Plays a case on the stores of one host; each second somebody looks for what is due. */
export async function runGroupCase(one: GroupCase, open: OpenStores): Promise<GroupRun> {
  const time = { now: groupCaseStart };
  await using opened = await open({ now: () => time.now, sleep: async () => {} });
  const world = backgroundWorld(groupCaseStart, opened.stores, time);
  const player = new GroupPlayer(one, world, opened);
  await player.declare();
  const events = [...(one.given.events ?? [])].sort((a, b) => millisecondsOf(a.at) - millisecondsOf(b.at));
  const timeOf = (event: GroupEvent | undefined) =>
    event === undefined ? Number.POSITIVE_INFINITY : groupCaseStart + millisecondsOf(event.at);
  const until = groupCaseStart + millisecondsOf(one.given.until);
  for (;;) {
    while (timeOf(events[0]) <= world.now) await player.play(events.shift() as GroupEvent);
    await player.look();
    const next = Math.min(timeOf(events[0]), await player.nextTime());
    if (world.now >= until || next > until) return await player.end();
    world.now = Math.max(next, world.now + 1_000);
  }
}

/** One source Verifier judges turns, one calls; the group Verifier reads what the case says. */
class GroupPlayer {
  readonly #case: GroupCase;
  readonly #world: BackgroundWorld;
  readonly #opened: OpenedStores;
  readonly #uids = new Map<string, string>();
  readonly #due: { readonly id: string; readonly at: number; readonly verdict: string }[] = [];
  #isDown = false;
  #judged = 0;

  constructor(one: GroupCase, world: BackgroundWorld, opened: OpenedStores) {
    this.#case = one;
    this.#world = world;
    this.#opened = opened;
  }

  async declare(): Promise<void> {
    const { after, slots = defaultSlots, order_by, operators = 0 } = this.#case.given;
    const hooks = Array.from({ length: operators }, (_unused, index) => ({
      kind: 'http',
      method: 'post',
      url: `https://hooks.example.com/${index}`,
    }));
    const group = {
      verifier: sibling('Verifier', 'conversation-check'),
      runs_on: { kind: 'group_end', after },
      ...(operators > 0 && { on_verdict_change: hooks }),
    };
    const turns = ['turn-check', 'call-check'].map((name) => ({ verifier: sibling('Verifier', name) }));
    await this.#declareDesk('main', [
      card('Verifier', 'turn-check', sourceSpec({ turn: { type: 'json' } }, 'polite', 'turn')),
      card('Verifier', 'call-check', sourceSpec(callSlots, 'ok', 'call')),
      card('Verifier', 'conversation-check', groupSpec(slots, order_by)),
      service('desk', [...turns, group]),
    ]);
    await this.#declareDesk('main', [
      card('Verifier', 'turn-check', sourceSpec({ turn: { type: 'json' } }, 'polite', 'turn'), { version: '1.1.0' }),
      service('newer-desk', [{ verifier: sibling('Verifier', 'turn-check', { version: '1.1.0' }) }]),
    ]);
    await this.#declareDesk('other', [
      card('Verifier', 'turn-check', sourceSpec({ turn: { type: 'json' } }, 'polite', 'turn')),
      card('Verifier', 'conversation-check', groupSpec(defaultSlots, undefined)),
      service('desk', [turns[0] as JsonObject, group]),
    ]);
    const bindings = await this.#world.ports().registry.bindingsOf('main', this.#uid('main', 'desk'));
    this.#uids.set('binding', bindings.find(({ frozen }) => frozen.group_end !== undefined)?.binding_id ?? '');
    for (const tenant of ['main', 'other']) await this.#activate(tenant);
    await this.#fill(this.#case.given.members ?? 0);
  }

  async #declareDesk(tenant: string, cards: readonly JsonObject[]): Promise<void> {
    const [prompt, agent] = desk();
    const administrator = principalOf(tenant, 'administrator', null);
    const submissions = [prompt, agent, ...cards].filter((one) => one !== undefined);
    const declared = await declareCards(this.#world.ports(), administrator, { submissions, key: uniqueKey() });
    for (const { card_ref } of declared.answer.outcomes) {
      this.#uids.set(`${tenant} ${card_ref.name}@${card_ref.version}`, card_ref.uid ?? '');
    }
  }

  #uid(tenant: string, name: string, version = '1.0.0'): string {
    return this.#uids.get(`${tenant} ${name}@${version}`) ?? '';
  }

  /** The owner has a key, and exchanges it. */
  async #activate(tenant: string): Promise<void> {
    const owner = this.#uid(tenant, 'desk');
    await createKey(this.#world.ports(), { tenant, name: 'owner', role: 'workload', card_uid: owner });
    await this.#world.ports().registry.activate(tenant, owner, this.#world.now);
  }

  async play(event: GroupEvent): Promise<void> {
    if (event.input) await this.#input(event.input);
    if (event.result) await this.#result(event.result);
    if (event.visible) await this.#visible(event.visible);
    if (event.owner === 'active') await this.#activate('main');
    else if (event.owner) await this.#revoke();
    if (event.store) this.#isDown = event.store === 'down';
    if (event.restart) this.#world.use(await this.#opened.restart());
  }

  async #revoke(): Promise<void> {
    const { keys } = this.#world.ports();
    const at = new Date(this.#world.now).toISOString();
    for (const { key_id } of await keys.list('main')) await keys.revoke('main', key_id, at);
  }

  async #input(evidence: Evidence): Promise<void> {
    const { id, key = uniqueKey(), group = 'g-1', tenant = 'main', verifier } = evidence;
    const [name = sourceOf(evidence), version = '1.0.0'] = String(verifier ?? '')
      .split('@')
      .filter(Boolean);
    const owner = this.#uid(String(tenant), version === '1.0.0' ? 'desk' : 'newer-desk');
    const request = {
      verifier_card_uid: this.#uid(String(tenant), name, version),
      card_uid: this.#uid(String(tenant), 'desk-agent'),
      run_id: null,
      group_id: String(group),
      inputs: inputsOf(evidence),
      execution_route_overrides: {},
      deployment_environment: null,
      workload_uid: null,
    };
    this.#world.nextNames.push(id);
    const principal = principalOf(String(tenant), 'owner', owner);
    const call = { request, key: `key-of-${String(key)}`, body: { inputs: request.inputs } };
    await enqueue(this.#world.ports(), principal, call);
    this.#world.nextNames.length = 0;
  }

  /** Judged now; or only said to be, when its input is not readable yet. */
  async #result({ id, polite, ok }: Evidence): Promise<void> {
    const known = this.#world.idOf(id);
    if (known === '') return this.#acknowledge(id);
    this.#world.answers.set('next', verdictOf(String(polite ?? ok), polite === undefined ? 'call' : 'turn'));
    await runAttempt(this.#world.ports(), { tenant: 'main', execution_id: known }, signal);
  }

  /** A result whose input is in no store: the group is due, and its member cannot be read. */
  async #acknowledge(id: string): Promise<void> {
    const ports = this.#world.ports();
    this.#world.nextNames.push(id);
    const due_at = this.#world.now + millisecondsOf(this.#case.given.after);
    await ports.executions.storeSettled('main', settledExecution(), [this.#touch(ports.ids.next(), due_at)]);
  }

  #touch(execution_id: string, due_at: number | null) {
    const member = { execution_id, verifier_uid: this.#uid('main', 'turn-check') };
    return { binding_id: this.#uids.get('binding') ?? '', group_id: 'g-1', member, due_at };
  }

  async #visible(evidence: Evidence): Promise<void> {
    const known = this.#world.idOf(evidence.id);
    if (known === '') this.#world.nextNames.push(evidence.id);
    const execution = this.#settled(known === '' ? this.#world.ports().ids.next() : known, evidence);
    await this.#world.ports().executions.storeSettled('main', execution, [this.#touch(execution.execution_id, null)]);
  }

  #settled(execution_id: string, evidence: Evidence): Execution {
    return settledExecution({
      execution_id,
      created_at: new Date(this.#world.now).toISOString(),
      verifier: { kind: 'Verifier', name: 'turn-check', version: '1.0.0', uid: this.#uid('main', 'turn-check') },
      group_id: 'g-1',
      result: null,
      record: null,
      request: { inputs: inputsOf(evidence), not_stored: [], route_overrides: {}, deployment_environment: null },
    });
  }

  async #fill(count: number): Promise<void> {
    const ports = this.#world.ports();
    for (let index = 0; index < count; index += 1) {
      const execution = this.#settled(ports.ids.next(), { id: '', turn: index });
      const request = { ...execution.request, member_of: [this.#uids.get('binding') ?? ''] };
      await storeResult(ports, 'main', { ...execution, request });
    }
  }

  /** What is due is rung, and judgments that are at their end are settled. */
  async look(): Promise<void> {
    const ports = this.#world.ports();
    const before = this.#world.started.length;
    const down = async () => Promise.reject(storeFailure('down', null));
    await ringDue(this.#isDown ? { ...ports, groups: { ...ports.groups, members: down } } : ports);
    for (const id of this.#world.started.slice(before)) {
      const execution = await ports.executions.find('main', id);
      if (execution?.origin === 'group_end') this.#due.push(this.#judgmentOf(id));
    }
    for (const { id, verdict } of this.#due.filter(({ at }) => at <= this.#world.now)) {
      this.#world.answers.set('next', verdictOf(verdict, groupSlot(this.#case)));
      await runAttempt(ports, { tenant: 'main', execution_id: id }, signal);
      this.#due.splice(
        this.#due.findIndex((other) => other.id === id),
        1,
      );
    }
  }

  #judgmentOf(id: string) {
    const { judge_takes = '0s', verdicts = ['passed'] } = this.#case.given;
    const takes = [judge_takes].flat();
    const turn = this.#judged;
    this.#judged += 1;
    const length = millisecondsOf(takes[Math.min(turn, takes.length - 1)] ?? '0s');
    return { id, at: this.#world.now + length, verdict: verdicts[Math.min(turn, verdicts.length - 1)] ?? 'passed' };
  }

  /** Of the next group that is due, or of the next judgment that ends. */
  async nextTime(): Promise<number> {
    const [first] = await this.#world.ports().dueRows.due({ now: Number.MAX_SAFE_INTEGER / 1_000, limit: 1 });
    return Math.min(first?.due_at ?? Number.POSITIVE_INFINITY, ...this.#due.map(({ at }) => at));
  }

  async end(): Promise<GroupRun> {
    const ports = this.#world.ports();
    const binding_id = this.#uids.get('binding') ?? '';
    const { items } = await ports.executions.list('main', { binding: binding_id }, { limit: 100, after: null });
    const judgments = [...items].reverse().map(async ({ execution_id }): Promise<Judgment> => {
      const execution = await ports.executions.find('main', execution_id);
      if (execution === null) throw new Error('a listed execution is not there');
      return { execution, dispatches: await ports.dispatches.ofExecution('main', execution_id) };
    });
    return {
      judgments: await Promise.all(judgments),
      group: await ports.groups.find('main', { binding_id, group_id: 'g-1' }),
      last: (await ports.executions.lastOfBindings('main', [binding_id])).get(binding_id),
      nameOf: this.#world.nameOf,
    };
  }
}

const defaultSlots = { turns: 'verifiers.turn-check.inputs.turn' };
const callSlots = { call: { type: 'json' }, trace: { type: 'trace', required: false } };
const own = new Set(['id', 'key', 'group', 'tenant', 'verifier', 'owner']);

function inputsOf(evidence: Evidence): Record<string, { kind: 'json'; value: JsonObject[string] }> {
  const slots = Object.entries(evidence).filter(([name]) => !own.has(name));
  return Object.fromEntries(
    slots.map(([slot, value]) => [
      slot,
      (slot === 'trace' ? { kind: 'trace', trace_id: String(value) } : { kind: 'json', value }) as never,
    ]),
  );
}

function groupSlot({ given: { slots = defaultSlots } }: GroupCase): string {
  return Object.keys(slots)[0] ?? '';
}

function sourceOf(evidence: Evidence): string {
  return 'call' in evidence ? 'call-check' : 'turn-check';
}

function judgedBy(id: string, inputs: JsonObject): JsonObject {
  const names = Object.keys(inputs).join(', ');
  const check = {
    kind: 'code',
    entrypoint: 'judge',
    source: { inline: `def judge(${names}):\n    return {}` },
    inputs,
  };
  return { id, statement: 'The judge agrees', check };
}

function sourceSpec(inputs: JsonObject, requirement: string, slot: string): JsonObject {
  return { inputs, requirements: [judgedBy(requirement, { answer: `inputs.${slot}` })] };
}

function groupSpec(slots: Readonly<Record<string, string>>, order_by: string | undefined): JsonObject {
  const [first = ''] = Object.keys(slots);
  return {
    inputs: slots,
    ...(order_by === undefined ? {} : { order_by }),
    requirements: [judgedBy('r', { answer: `inputs.${first}` })],
  };
}

function service(name: string, verified_by: readonly JsonObject[]): JsonObject {
  const component = { alias: 'agent', ref: sibling('Agent', 'desk-agent'), verified_by };
  return card('Service', name, { components: [component] });
}

function principalOf(tenant: string, id: string, card_uid: string | null): Principal {
  return { tenant, id, permissions: new Set(rolePermissions.admin), verifier_uids: null, card_uid };
}
