import { expect } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { declareCards } from '#service/cards/declare.ts';
import type { Execution } from '#service/ports/executions.ts';
import { enqueue } from '#service/submit/enqueue.ts';
import { comeToRest, type Scene } from '../crash-table.ts';
import { administratorOf, type CrashProcess, type CrashWorld, minute } from '../crash-world.ts';
import { card, desk, sibling, uniqueKey } from '../embedded-host.ts';
import { judgedSpec, type Target } from '../judged-desk.ts';

/** One submission that fails its check, and so is delivered to two Operators. */
export async function submission(world: CrashWorld, tenant: string): Promise<Scene> {
  const { ports } = world.process();
  const target = await declareDesk(world, tenant);
  const key = uniqueKey();
  const acknowledged: string[] = [];
  const submit = async (process: CrashProcess) => {
    const id = await submitOnce(process, tenant, target, key);
    if (!process.life.isDead()) acknowledged.push(id);
    return id;
  };
  let found: Execution | null = null;
  return {
    async work(process) {
      await submit(process);
      await process.play();
    },
    async left() {
      const { items } = await ports.executions.list(tenant, {}, { limit: 10, after: null });
      expect(items.length).toBeLessThanOrEqual(1);
      found = items[0] === undefined ? null : await ports.executions.find(tenant, items[0].execution_id);
      const dispatches = found === null ? [] : await ports.dispatches.ofExecution(tenant, found.execution_id);
      // Never a verdict without its dispatches, never a dispatch without a verdict.
      expect(dispatches).toHaveLength(found?.verdict === 'failed' ? 2 : 0);
    },
    async after() {
      const begun = world.now;
      // The client asks again until it has an answer: one execution.
      const id = await submit(world.process());
      expect(new Set(acknowledged)).toEqual(new Set([id]));
      const wasRunning = found?.status === 'running';
      if (wasRunning) await expectUntouched(world, tenant, found as unknown as Execution);
      await comeToRest(world, tenant);
      const { items } = await ports.executions.list(tenant, {}, { limit: 10, after: null });
      expect(items.map(({ execution_id }) => execution_id)).toEqual([id]);
      const ended = await ports.executions.find(tenant, id);
      expect(ended).toMatchObject({ status: 'completed', verdict: 'failed', attempts: wasRunning ? 2 : 1 });
      const late = Date.parse(ended?.ended_at ?? '') - begun;
      expect(late).toBeLessThanOrEqual(wasRunning ? 480_000 : 120_000);
      await expectDelivered(world, tenant, id);
      world.pass(10 * minute);
      const process = await comeToRest(world, tenant);
      expect(await process.ports.executions.find(tenant, id)).toEqual(ended);
      expect(process.life.writes.filter((name) => name.startsWith('Start'))).toEqual([]);
    },
  };
}

/** Its worker may still live for all we know: nobody touches it before its lease ends. */
async function expectUntouched(world: CrashWorld, tenant: string, found: Execution): Promise<void> {
  world.pass(5 * minute);
  const process = world.process();
  await process.sweep();
  await process.play();
  expect(await process.ports.executions.find(tenant, found.execution_id)).toEqual(found);
}

/** Each at least once, at most twice, with the id of the dispatch as its key, and soon after the settlement. */
async function expectDelivered(world: CrashWorld, tenant: string, id: string): Promise<void> {
  const { ports } = world.process();
  const dispatches = await ports.dispatches.ofExecution(tenant, id);
  expect(dispatches.map(({ status }) => status)).toEqual(['delivered', 'delivered']);
  for (const { dispatch_id, attempts, created_at } of dispatches) {
    const calls = world.provider.calls.filter(({ headers }) => headers['idempotency-key'] === dispatch_id);
    expect(calls.length).toBeGreaterThanOrEqual(1);
    expect(calls.length).toBeLessThanOrEqual(attempts);
    expect(attempts).toBeLessThanOrEqual(2);
    expect(world.now - created_at).toBeLessThanOrEqual(4 * minute);
  }
}

export async function declareDesk(world: CrashWorld, tenant: string): Promise<Target> {
  const { ports } = world.process();
  const [prompt, agent, verifier] = desk({ version: '1.0.0' }, judgedSpec);
  const hooks = [0, 1].map((index) =>
    card('Operator', `notify-${index}`, {
      kind: 'http',
      method: 'post',
      url: `${world.provider.url}/${index}`,
      body: {},
    }),
  );
  const on_failure = [0, 1].map((index) => sibling('Operator', `notify-${index}`));
  const verified_by = [{ verifier: sibling('Verifier', 'tone'), on_failure }];
  const component = { alias: 'agent', ref: sibling('Agent', 'desk-agent'), verified_by };
  const submissions = [prompt, agent, verifier, ...hooks, card('Service', 'desk', { components: [component] })];
  const { answer } = await declareCards(ports, administratorOf(tenant), {
    submissions: submissions as readonly JsonObject[],
    key: uniqueKey(),
  });
  const uidOf = (name: string) => answer.outcomes.find(({ card_ref }) => card_ref.name === name)?.card_ref.uid ?? '';
  return { verifier_card_uid: uidOf('tone'), card_uid: uidOf('desk-agent') };
}

/** The call of a client, with its key; answers the id of the execution. */
export async function submitOnce(
  { ports }: Pick<CrashProcess, 'ports'>,
  tenant: string,
  target: Target,
  key: string,
): Promise<string> {
  const request = {
    ...target,
    run_id: null,
    group_id: null,
    inputs: { answer: { kind: 'json', value: 'fine' } },
    execution_route_overrides: {},
    deployment_environment: null,
    workload_uid: null,
  } as const;
  const answer = await enqueue(ports, administratorOf(tenant), { request, key, body: { ...target } });
  return (JSON.parse(answer) as { readonly execution_id: string }).execution_id;
}
