import { expect } from 'vitest';
import { createKey } from '#service/auth/keys.ts';
import { declareCards } from '#service/cards/declare.ts';
import { enqueue } from '#service/submit/enqueue.ts';
import { conversationDesk } from '../conversation-desk.ts';
import { comeToRest, type Scene } from '../crash-table.ts';
import { administratorOf, type CrashProcess, type CrashWorld, minute } from '../crash-world.ts';
import { uniqueKey } from '../embedded-host.ts';

/** A sweep that finds two conversations quiet. */
export async function quietGroups(world: CrashWorld, tenant: string): Promise<Scene> {
  const talks = await quietTalks(world, tenant, ['first', 'second']);
  return {
    work: (process) => process.sweep(),
    left: () => talks.expectJudged(1, 'at most'),
    async after() {
      await comeToRest(world, tenant);
      await talks.expectJudged(1);
      world.pass(10 * minute);
      await comeToRest(world, tenant);
      await talks.expectJudged(1);
    },
  };
}

/** A sweep that has read a quiet conversation, whose next turn is judged before the sweep admits what it read. */
export async function growingGroup(world: CrashWorld, tenant: string): Promise<Scene> {
  const talks = await quietTalks(world, tenant, ['growing']);
  return {
    work(process) {
      let grown = false;
      const { groups } = process.ports;
      const judge: typeof groups.judge = async (...admission) => {
        if (!grown) await talks.say('growing', 'more');
        grown = true;
        return groups.judge(...admission);
      };
      return process.sweep({ groups: { ...groups, judge } });
    },
    // What was read is of no due time any more.
    left: () => talks.expectJudged(0),
    async after() {
      await comeToRest(world, tenant);
      await talks.expectJudged(1);
    },
  };
}

async function quietTalks(world: CrashWorld, tenant: string, names: readonly string[]) {
  const { ports } = world.process();
  const principal = administratorOf(tenant);
  const { answer } = await declareCards(ports, principal, { submissions: conversationDesk(), key: uniqueKey() });
  const uidOf = (name: string) => answer.outcomes.find(({ card_ref }) => card_ref.name === name)?.card_ref.uid ?? '';
  await createKey(ports, { tenant, name: 'owner', role: 'workload', card_uid: uidOf('desk') });
  await ports.registry.activate(tenant, uidOf('desk'), world.now);
  const bindings = await ports.registry.bindingsOf(tenant, uidOf('desk'));
  const binding = bindings.find(({ frozen }) => frozen.group_end !== undefined)?.binding_id ?? '';
  const said = new Map<string, string[]>();
  /** A turn and its judgment, by processes that live. */
  const say = async (group_id: string, text: string) => {
    const request = {
      verifier_card_uid: uidOf('turn-check'),
      card_uid: uidOf('desk-agent'),
      run_id: null,
      group_id,
      inputs: { turn: { kind: 'json', value: text } },
      execution_route_overrides: {},
      deployment_environment: null,
      workload_uid: null,
    } as const;
    const process: CrashProcess = world.process();
    const owner = { ...principal, id: 'owner', card_uid: uidOf('desk') };
    await enqueue(process.ports, owner, { request, key: uniqueKey(), body: { text } });
    world.pass(1);
    await process.play();
    said.set(group_id, [...(said.get(group_id) ?? []), text]);
  };
  for (const name of names) await say(name, `hello ${name}`);
  world.pass(2_000);
  return {
    say,
    /** So many judgments of each conversation, each over all of its turns and over its group's alone. */
    async expectJudged(count: number, bound?: 'at most') {
      const { items } = await ports.executions.list(tenant, { binding }, { limit: 50, after: null });
      for (const [group_id, turns] of said) {
        const judged = items.filter((item) => item.group_id === group_id);
        if (bound === undefined) expect(judged).toHaveLength(count);
        else expect(judged.length).toBeLessThanOrEqual(count);
        for (const { execution_id } of judged) {
          const execution = await ports.executions.find(tenant, execution_id);
          expect(execution?.request.inputs.turns).toMatchObject({ value: turns });
          if (bound === undefined) expect(execution).toMatchObject({ status: 'completed', verdict: 'passed' });
        }
        const due = (await ports.groups.find(tenant, { binding_id: binding, group_id }))?.due_at ?? null;
        // Judged or still due: never neither, never both.
        expect(due === null).toBe(judged.length > 0);
      }
    },
  };
}
