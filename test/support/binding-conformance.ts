import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { Problem } from '#contract/errors.ts';
import type { JsonObject } from '#contract/json.ts';
import { ringDue } from '#service/alarms/ring-due.ts';
import { exchangeToken } from '#service/auth/exchange.ts';
import { createKey } from '#service/auth/keys.ts';
import { rolePermissions } from '#service/auth/permissions.ts';
import type { Principal } from '#service/auth/principal.ts';
import { declareCards } from '#service/cards/declare.ts';
import { deleteCard, listCards } from '#service/cards/read-cards.ts';
import { baselinesOfVerifier } from '#service/drift/readiness.ts';
import { enqueue } from '#service/submit/enqueue.ts';
import { runAttempt } from '#service/submit/run-attempt.ts';
import { readBinding } from '#service/verify/read-binding.ts';
import { backgroundWorld, type OpenStores } from './background-world.ts';
import { type BindingCase, bindingCases, operatorCard, ownerCards } from './binding-case.ts';
import { chartedCheck, declareWindow, steadyCheck } from './declare-window.ts';
import { uniqueKey } from './embedded-host.ts';
import { fitAll } from './window-conformance.ts';

const tenant = 'main';
const administrator: Principal = {
  tenant,
  id: 'administrator',
  permissions: new Set(rolePermissions.admin),
  verifier_uids: null,
  card_uid: null,
};
const start = Date.parse('2026-03-01T08:59:00Z');

/** The cases of bindings.yaml that need a store, on the stores of one host. */
export function bindingConformance(name: string, open: OpenStores): void {
  describe(`conformance of bindings: ${name}`, () => {
    it('the cases are there', () => expect(bindingCases().length).toBeGreaterThanOrEqual(8));

    for (const one of bindingCases()) {
      it(`${one.id}: ${one.title}`, { timeout: 60_000 }, async () => {
        const inWorld = async <Seen>(act: (world: World) => Promise<Seen>): Promise<Seen> => {
          const time = { now: start };
          await using opened = await open({ now: () => time.now, sleep: async () => {} });
          return await act(backgroundWorld(start, opened.stores, time));
        };
        if (one.expect.readiness) {
          const seen: string[] = [];
          for (const line of one.given.cases ?? []) seen.push(await inWorld((world) => readinessOf(line, world)));
          expect(seen).toEqual(one.expect.readiness);
        } else await inWorld((world) => expectCase(one, world));
      });
    }
  });
}

type World = ReturnType<typeof backgroundWorld>;

function expectCase(one: BindingCase, world: World): Promise<void> {
  if (one.expect.status) return expectStatus(one, world);
  if (one.expect.refused) return expectNothingLeft(one, world);
  return one.expect.dispatch_operator ? expectOperator(one, world) : expectIds(one, world);
}

async function declare(world: World, submissions: readonly JsonObject[]) {
  const { answer } = await declareCards(world.ports(), administrator, { submissions, key: uniqueKey() });
  const uids = Object.fromEntries(answer.outcomes.map(({ card_ref }) => [card_ref.name, card_ref.uid ?? '']));
  const owner = answer.root.uid ?? '';
  const bindings = await world.ports().registry.bindingsOf(tenant, owner);
  const ids = Object.fromEntries(bindings.map((one) => [`${one.occurrence} ${one.verifier_uid}`, one.binding_id]));
  return { uids, owner, ids, bindings, root: answer.outcomes.find(({ card_ref }) => card_ref.uid === owner) };
}

async function expectIds({ given, expect: expected }: BindingCase, world: World): Promise<void> {
  const declared = [];
  for (const one of given.declare ?? []) declared.push(await declare(world, ownerCards(one)));
  const [first, second] = declared;
  if (expected.binding_ids !== undefined) expect(first?.bindings).toHaveLength(expected.binding_ids);
  if (expected.same_ids === true) expect(second?.ids).toEqual(first?.ids);
  if (expected.same_ids === false) {
    const shared = Object.values(second?.ids ?? {}).filter((id) => Object.values(first?.ids ?? {}).includes(id));
    expect(shared).toEqual([]);
  }
  if (expected.outcome) expect(second?.root?.outcome).toBe(expected.outcome);
}

async function expectStatus({ given, expect: expected }: BindingCase, world: World): Promise<void> {
  const bound = (given.verified_by ?? []).map((entry) => ({ ...entry, at: 'agent' }));
  const { owner, bindings } = await declare(world, ownerCards({ bindings: bound }));
  const { text } = await createKey(world.ports(), { tenant, name: 'owner-key', role: 'workload', card_uid: owner });
  const seen: unknown[] = [];
  const moments = [
    ...(given.read_at ?? []).map((at) => ({ at, act: async () => void seen.push(await read()) })),
    ...(given.events ?? []).map(({ at }) => ({ at, act: () => exchange(world, text) })),
  ].sort((one, other) => one.at.localeCompare(other.at));
  const read = () => readBinding(world.ports(), administrator, bindings[0]?.binding_id ?? '');
  for (const { at, act } of moments) {
    world.now = Date.parse(at);
    // The scheduler looks each minute; what it passes over is gone.
    await ringDue(world.ports());
    await act();
  }
  const zulu = (status: JsonObject) =>
    Object.fromEntries(
      Object.entries(status).map(([key, value]) => [key, typeof value === 'string' ? Date.parse(value) : value]),
    );
  const asked = Object.keys(expected.status?.[0] ?? {});
  expect(
    seen.map((one) => zulu(Object.fromEntries(asked.map((key) => [key, (one as JsonObject)[key] ?? null])))),
  ).toEqual(expected.status?.map(zulu));
}

async function exchange(world: World, key: string): Promise<void> {
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: key,
    subject_token_type: 'urn:wyrd:oauth:token-type:api_key',
    client_id: 'wyrd-cli',
  };
  await exchangeToken(world.ports(), new Map(Object.entries(form)));
}

/** The desk of one line of the case, in this state. */
async function readinessOf(
  { method, baseline, verifier }: NonNullable<BindingCase['given']['cases']>[number],
  world: World,
): Promise<string> {
  const ports = world.ports();
  const check = method === 'Custom' || verifier !== undefined ? steadyCheck : chartedCheck;
  const { owner_uid, verifier_uid } = await declareWindow(ports, { steady: check });
  const [place] = (await baselinesOfVerifier(ports, tenant, verifier_uid)).map((held) => held.place);
  if (place && (baseline === 'building' || baseline === 'failed')) {
    const lease = v7();
    expect(await ports.baselines.begin(tenant, place, { lease, now: world.now, until: world.now + 60_000 })).toBe(true);
    if (baseline === 'failed') await ports.baselines.end(tenant, place, lease, { status: 'failed', reason: 'no rows' });
  }
  const column = { latency: { $cycle: { values: [1, 2, 3, 2], count: 80 } } };
  if (baseline === 'ready') await fitAll(ports, verifier_uid, column, world.now);
  if (verifier === 'deleted') await deleteCard(ports, administrator, { kind: 'Verifier', uid: verifier_uid });
  const [binding] = await ports.registry.bindingsOf(tenant, owner_uid);
  return (await readBinding(ports, administrator, binding?.binding_id ?? '')).readiness;
}

async function expectNothingLeft({ given, expect: expected }: BindingCase, world: World): Promise<void> {
  const bindings = (given.verified_by ?? []).map((entry) => ({ ...entry, at: 'agent' }));
  const refused = await declare(world, ownerCards({ bindings })).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Problem);
  expect((refused as Problem).code).toBe(expected.refused?.code);
  const readable: string[] = [];
  for (const kind of ['Verifier', 'Service', 'Agent', 'Prompt']) {
    const { items } = await listCards(
      world.ports(),
      administrator,
      { kind, include_prerelease: true },
      { limit: 100, after: null },
    );
    readable.push(...items.map(({ name }) => String(name)));
  }
  expect(readable).toEqual(expected.readable);
}

async function expectOperator({ given, expect: expected }: BindingCase, world: World): Promise<void> {
  const [desk, later] = given.declare ?? [];
  const { uids } = await declare(world, ownerCards(desk ?? {}));
  await declare(world, [operatorCard(later?.operator ?? '')]);
  const ports = world.ports();
  const request = {
    verifier_card_uid: uids.tone ?? '',
    card_uid: uids['desk-agent'] ?? '',
    run_id: null,
    group_id: null,
    inputs: { answer: { kind: 'json', value: 'a sure thing' } },
    execution_route_overrides: {},
    deployment_environment: null,
    workload_uid: null,
  } as const;
  const accepted = JSON.parse(await enqueue(ports, administrator, { request, key: uniqueKey(), body: {} }));
  await runAttempt(ports, { tenant, execution_id: accepted.execution_id }, new AbortController().signal);
  const dispatches = await ports.dispatches.ofExecution(tenant, accepted.execution_id);
  const operators = await Promise.all(
    dispatches.map(async ({ operator }) => {
      const found = await ports.registry.byUid(tenant, 'uid' in operator ? String(operator.uid) : '');
      return `${found?.name}@${found?.version}`;
    }),
  );
  expect(operators).toEqual([expected.dispatch_operator]);
}
