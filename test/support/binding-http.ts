import { expect } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { openStore, type Store } from '#local/open-store.ts';
import type { FitEnd } from '#service/ports/baselines.ts';
import { type BindingCase, operatorCard, ownerCards, refusedCards } from './binding-case.ts';
import { controlledClock } from './controlled-clock.ts';
import { declareFile } from './declare-file.ts';
import { psiCheck, steadyCheck, windowSpec } from './declare-window.ts';
import { parquetOf } from './drift-case.ts';
import { type Answered, card, makeHost, sibling, type TestHost, uidsOf } from './embedded-host.ts';
import { settledState, submitAnswer } from './operators-desk.ts';
import { startScriptedProvider } from './scripted-provider.ts';

/** Plays a case of bindings.yaml on a host of its own, over HTTP alone. */
export function playOverHttp(one: BindingCase): Promise<void> {
  if (one.expect.refused) return playRefused(one);
  if (one.expect.status) return playStatus(one);
  if (one.expect.readiness) return playReadiness(one);
  return one.expect.dispatch_operator ? playOperator(one) : playIds(one);
}

const bindingsPath = '/v1/verification/bindings';

async function playRefused(one: BindingCase): Promise<void> {
  await using host = await makeHost();
  const declarations = refusedCards(one);
  expect(declarations.length).toBeGreaterThan(0);
  for (const cards of declarations) {
    const { status, json, text } = await host.declare(cards);
    expect(status, text).toBe(400);
    const { code, field } = one.expect.refused ?? {};
    expect(json).toMatchObject({ code, ...(field !== undefined && { details: { field } }) });
  }
  expect((await host.call('GET', '/v1/cards')).json.items).toEqual(one.expect.readable ?? []);
}

async function playIds({ given, expect: expected }: BindingCase): Promise<void> {
  await using host = await makeHost();
  const declared: { ids: string[]; answer: Answered }[] = [];
  for (const one of given.declare ?? []) {
    const answer = await host.declare(ownerCards(one));
    expect(answer.status, answer.text).toBeLessThan(300);
    const owner = await host.call('GET', `/v1/cards/by-uid/Service/${uidsOf(answer).desk}`);
    declared.push({ answer, ids: owner.json.card.status.verification.binding_ids });
  }
  const [first, second] = declared;
  const listed = (await host.call('GET', bindingsPath)).json.items.map((item: JsonObject) => item.binding_id);
  expect(new Set(listed)).toEqual(new Set(declared.flatMap(({ ids }) => ids)));
  if (expected.binding_ids !== undefined) expect(new Set(first?.ids).size).toBe(expected.binding_ids);
  if (expected.same_ids === true) expect(second?.ids).toEqual(first?.ids);
  if (expected.same_ids === false) expect(second?.ids.filter((id) => first?.ids.includes(id))).toEqual([]);
  if (expected.outcome) {
    const outcomes: readonly { outcome: string; card_ref: { name: string } }[] = second?.answer.json.outcomes;
    expect(outcomes.find(({ card_ref }) => card_ref.name === 'desk')?.outcome).toBe(expected.outcome);
  }
}

async function playStatus({ given, expect: expected }: BindingCase): Promise<void> {
  const moments = [
    ...(given.read_at ?? []).map((at) => ({ at: Date.parse(at), reads: true })),
    ...(given.events ?? []).map(({ at }) => ({ at: Date.parse(at), reads: false })),
  ].sort((one, other) => one.at - other.at);
  const began = (moments[0]?.at ?? 0) - 60_000;
  const clock = controlledClock(began);
  await using host = await makeHost({}, { clock });
  const administrator = await host.key();
  const bindings = (given.verified_by ?? []).map((entry) => ({ ...entry, at: 'agent' }));
  const options = async () => ({ token: await host.token(administrator) });
  const declared = await host.declare(ownerCards({ bindings }), await options());
  expect(declared.status, declared.text).toBe(201);
  const owner = await host.key({ role: 'workload', card_uid: uidsOf(declared).desk ?? '' });
  const seen: JsonObject[] = [];
  for (const { at, reads } of moments) {
    await clock.advance(at - clock.now());
    if (!reads) await host.token(owner);
    else seen.push((await host.call('GET', bindingsPath, await options())).json.items[0]);
  }
  const instants = (status: JsonObject) =>
    Object.fromEntries(
      Object.entries(status).map(([key, value]) => [key, typeof value === 'string' ? Date.parse(value) : value]),
    );
  const [status = {}] = expected.status ?? [];
  const asked = seen.map((one) => Object.fromEntries(Object.keys(status).map((key) => [key, one[key] ?? null])));
  expect(asked.map(instants)).toEqual(expected.status?.map(instants));
}

/** Baselines of the requirement `pending` are never begun, and fits of `building` never end. */
function heldFits(ended: Map<string, FitEnd>) {
  return async (data: string, secretKey?: string): Promise<Store> => {
    const store = await openStore(data, secretKey);
    const { baselines } = store;
    return {
      ...store,
      baselines: {
        ...baselines,
        begin: async (tenant, place, claim) => place.requirement !== 'pending' && baselines.begin(tenant, place, claim),
        async end(tenant, place, lease, fitted) {
          const written = place.requirement !== 'building' && (await baselines.end(tenant, place, lease, fitted));
          ended.set(place.requirement, fitted);
          return written;
        },
      },
    };
  };
}

async function playReadiness({ given, expect: expected }: BindingCase): Promise<void> {
  const ended = new Map<string, FitEnd>();
  await using host = await makeHost({}, { openStore: heldFits(ended) });
  const values = { $range: [0, 100, 1] };
  await declareFile(host, 'rows', parquetOf({ latency: values }).bytes);
  await declareFile(host, 'others', parquetOf({ other: values }).bytes);
  const paths: string[] = [];
  for (const [index, { method, baseline, verifier }] of (given.cases ?? []).entries()) {
    const requirement = baseline ?? 'steady';
    const check = method === 'Psi' ? psiCheck(baseline === 'failed' ? 'others' : 'rows', 'latency') : steadyCheck;
    const name = `steady-${index}`;
    const bound = { verifier: sibling('Verifier', name), runs_on: { kind: 'schedule', cron: '0 0 1 1 *' } };
    const declared = await host.declare([
      card('Verifier', name, windowSpec({ [requirement]: check })),
      card('Service', `desk-${index}`, { verified_by: [bound] }),
    ]);
    expect(declared.status, declared.text).toBe(201);
    const uids = uidsOf(declared);
    const { items } = (await host.call('GET', `${bindingsPath}?verifier=${uids[name]}`)).json;
    paths.push(`${bindingsPath}/${items[0].binding_id}`);
    if (verifier === 'deleted') await host.call('DELETE', `/v1/cards/by-uid/Verifier/${uids[name]}`);
  }
  await expect.poll(() => [...ended.keys()].sort(), { timeout: 30_000 }).toEqual(['building', 'failed', 'ready']);
  expect([...ended].filter(([, { status }]) => status === 'failed').map(([requirement]) => requirement)).toEqual([
    'failed',
  ]);
  const states = await Promise.all(paths.map((path) => host.call('GET', path)));
  expect(states.map(({ json }) => json.readiness)).toEqual(expected.readiness);
}

async function playOperator({ given, expect: expected }: BindingCase): Promise<void> {
  await using provider = await startScriptedProvider([{ status: 204 }]);
  await using host = await makeHost({ allow_loopback_delivery: true });
  const [desk, later] = given.declare ?? [];
  const uids = await declaredUids(host, ownerCards(desk ?? {}, provider.url));
  await declaredUids(host, [operatorCard(later?.operator ?? '', provider.url)]);
  const target = { verifier_card_uid: uids.tone ?? '', card_uid: uids['desk-agent'] ?? '' };
  const id = await submitAnswer(host, target, 'a sure thing');
  const delivered = (dispatches: readonly { readonly status: string }[]) =>
    dispatches.length > 0 && dispatches.every(({ status }) => status === 'delivered');
  const { json } = await settledState(host, id, delivered);
  const operators = await Promise.all(
    json.dispatches.map(async ({ operator }: { readonly operator: { readonly uid: string } }) => {
      const { metadata } = (await host.call('GET', `/v1/cards/by-uid/Operator/${operator.uid}`)).json.card;
      return `${metadata.name}@${metadata.version}`;
    }),
  );
  expect(operators).toEqual([expected.dispatch_operator]);
  expect(provider.calls.map(({ path }) => `page@${path.slice(1)}`)).toEqual([expected.dispatch_operator]);
}

async function declaredUids(host: TestHost, cards: readonly JsonObject[]): Promise<Record<string, string>> {
  const declared = await host.declare(cards);
  expect(declared.status, declared.text).toBe(201);
  return uidsOf(declared);
}
