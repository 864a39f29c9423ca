import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { systemClock } from '#adapters/embedded/system.ts';
import type { Declaration } from '#service/ports/registry.ts';
import type { Clock } from '#service/ports.ts';
import { type AwsStore, anotherProcess, freshAwsStore } from '#test/support/aws-store.ts';
import { type FaultyNetwork, openFaultyNetwork } from '#test/support/faulty-network.ts';
import { declarationOf, keyRow, storedBinding, storedCard } from '#test/support/stored-things.ts';

/** 120 Verifiers bound to one Service: 490 rows. */
function largeDeclaration(more: Partial<Declaration> = {}): Declaration {
  const service = storedCard({ kind: 'Service', name: 'desk' });
  const verifiers = Array.from({ length: 120 }, (_unused, index) => storedCard({ name: `check-${index}` }));
  const bindings = verifiers.map((verifier) => storedBinding(service, verifier));
  return declarationOf([...verifiers, service], { bindings, ...more });
}

/** So much later than now. */
const later = (ms: number): Clock => ({ ...systemClock, now: () => Date.now() + ms });
const quarterHour = 15 * 60_000 + 1_000;
const day = 24 * 3_600_000 + 60_000;

let network: FaultyNetwork;
let store: AwsStore;

beforeEach(async () => {
  store = await freshAwsStore();
  network = await openFaultyNetwork(inject('emulator'));
});
afterEach(() => network.close());

async function expectNothing(made: Declaration): Promise<void> {
  const { registry, idempotency } = anotherProcess(store).ports;
  for (const card of made.cards.slice(0, 5)) {
    expect(await registry.byUid('acme', card.uid)).toBeNull();
    expect(await registry.versions('acme', card)).toEqual([]);
  }
  const owner = made.cards.at(-1)!.uid;
  expect((await registry.list('acme', {}, { limit: 200, after: null })).items).toEqual([]);
  expect(await registry.bindingsOf('acme', owner)).toEqual([]);
  expect(await registry.bindingsFor('acme', made.bindings[0]!.verifier_uid, owner)).toEqual([]);
  expect(await registry.binding('acme', made.bindings[0]!.binding_id)).toBeNull();
  expect(await idempotency.find('acme', made.idempotency, 0)).toBeNull();
}

/** Declares over a network that breaks for good at the given transaction. */
async function breakOff(made: Declaration, transactions: number): Promise<void> {
  const lost = Array.from({ length: 40 }, () => 'lost_request' as const);
  network.plan('TransactWriteItems', ...Array.from({ length: transactions }, () => null), ...lost);
  const { registry } = anotherProcess(store, { endpoint: network.endpoint }).ports;
  await expect(registry.declare('acme', made)).rejects.toThrow();
}

describe('a declaration over the limits of a transaction', () => {
  it('is there as a whole', async () => {
    const made = largeDeclaration();
    const { registry, idempotency } = store.ports;
    expect(await registry.declare('acme', made)).toBe('stored');
    const { ports } = anotherProcess(store);
    const owner = made.cards.at(-1)!.uid;
    expect((await ports.registry.list('acme', {}, { limit: 200, after: null })).items).toHaveLength(121);
    expect(await ports.registry.byUid('acme', owner)).toEqual(made.cards.at(-1));
    const bound = await ports.registry.bindingsOf('acme', owner);
    expect(bound.map((binding) => binding.binding_id)).toEqual(made.bindings.map((binding) => binding.binding_id));
    expect(await idempotency.find('acme', made.idempotency, 0)).toEqual(made.idempotency);
    expect(await ports.registry.remove('acme', owner, 'now')).toBe(true);
    expect(await ports.registry.declare('acme', largeDeclaration())).toBe('conflict');
  });

  it('also when it is large in bytes only', async () => {
    const text = 'x'.repeat(290_000);
    const cards = Array.from({ length: 14 }, (_unused, index) => storedCard({ name: `big-${index}`, spec: { text } }));
    expect(await store.ports.registry.declare('acme', declarationOf(cards))).toBe('stored');
    expect(await anotherProcess(store).ports.registry.byUid('acme', cards[13]!.uid)).toEqual(cards[13]);
  });

  it.each([0, 1, 4, 7])('is not there at all when it broke off after %i of its transactions', async (transactions) => {
    const made = largeDeclaration();
    await breakOff(made, transactions);
    await expectNothing(made);
  });

  it('is not there when its key is taken by another body, or a Card it relies on is gone', async () => {
    const { registry } = store.ports;
    const taken = keyRow();
    const gone = storedCard({ name: 'gone' });
    await registry.declare('other', declarationOf([storedCard()]));
    await registry.declare('acme', declarationOf([gone], { idempotency: taken }));
    await registry.remove('acme', gone.uid, 'now');
    const another = largeDeclaration({ idempotency: { ...taken, body_sha256: 'cd'.repeat(32) } });
    expect(await registry.declare('acme', another)).toBe('conflict');
    const relying = largeDeclaration({ relies_on: [gone.uid] });
    expect(await registry.declare('acme', relying)).toBe('conflict');
    expect(await registry.byUid('acme', relying.cards[0]!.uid)).toBeNull();
    // Both took nothing with them.
    expect(await registry.declare('acme', largeDeclaration())).toBe('stored');
  });

  it('that broke off keeps its versions for a quarter of an hour, then anybody may have them', async () => {
    const made = largeDeclaration();
    await breakOff(made, 3);
    const small = declarationOf([storedCard({ name: 'check-0' })]);
    expect(await store.ports.registry.declare('acme', small)).toBe('conflict');
    const { registry } = anotherProcess(store, { clock: later(quarterHour) }).ports;
    expect(await registry.declare('acme', small)).toBe('stored');
    await expect(registry.versions('acme', small.cards[0]!)).resolves.toEqual(small.cards);
    expect(await registry.byUid('acme', made.cards[0]!.uid)).toBeNull();
  });

  it('that broke off is swept after a day, and nothing else', async () => {
    const [broken, whole] = [largeDeclaration(), declarationOf([storedCard({ name: 'other' })])];
    await breakOff(broken, 3);
    await store.ports.registry.declare('acme', whole);
    expect(await store.ports.sweepOperations()).toBe(0);
    const { ports } = anotherProcess(store, { clock: later(day) });
    expect(await ports.sweepOperations()).toBe(1);
    expect(await ports.sweepOperations()).toBe(0);
    expect(await ports.registry.byUid('acme', whole.cards[0]!.uid)).toEqual(whole.cards[0]);
    // The versions are free, so nothing of it is left.
    expect(await store.ports.registry.declare('acme', largeDeclaration())).toBe('stored');
  });

  it('lets one of two win', async () => {
    const sides = [store.ports, anotherProcess(store).ports];
    const made = [largeDeclaration(), largeDeclaration()];
    const outcomes = await Promise.all(
      made.map((declaration, side) => sides[side]!.registry.declare('acme', declaration)),
    );
    expect(outcomes.filter((outcome) => outcome === 'stored').length).toBeLessThanOrEqual(1);
    const cards = (await store.ports.registry.list('acme', {}, { limit: 200, after: null })).items;
    expect(cards.length).toBe(outcomes.includes('stored') ? 121 : 0);
  });
});
