import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { systemClock, systemIds } from '#adapters/embedded/system.ts';
import type { JsonObject } from '#contract/json.ts';
import { permissions } from '#service/auth/permissions.ts';
import type { Principal } from '#service/auth/principal.ts';
import { boundedCache } from '#service/bounded-cache.ts';
import { type CompletePorts, completeCard } from '#service/cards/complete-card.ts';
import { type DeclarePorts, declareCards } from '#service/cards/declare.ts';
import { completeUpload } from '#service/evidence/receive-upload.ts';
import type { Idempotency } from '#service/ports/idempotency.ts';
import { type EnqueuePorts, enqueue } from '#service/submit/enqueue.ts';
import { card, desk } from '#test/support/embedded-host.ts';

type Ports = DeclarePorts & CompletePorts & EnqueuePorts;
type Own = 'clock' | 'ids' | 'log' | 'workflow' | 'callsInFlight' | 'compiledVerifiers';

/** What the processes of one deployment share. */
export type SharedStores = Omit<Ports, Own>;

const everything: Principal = {
  tenant: 'acme',
  id: 'p',
  permissions: new Set(permissions),
  verifier_uids: null,
  card_uid: null,
};
const bytes = new TextEncoder().encode('# manual\n');
const digest = createHash('sha256').update(bytes).digest();

/** Two processes under one key at the same time (docs/spec/background.md §2): each has read that the key is free. */
export function testKeyRaces(name: string, make: () => Promise<SharedStores>): void {
  describe(`Two processes under one key: ${name}`, () => {
    it.each([1, 2, 3])('declaring different Cards: one is stored, the other is told of its key (%i)', async () => {
      const { both, stores } = await twoProcesses(make);
      const key = `card-declaration-${v7()}`;
      const settled = await both((ports, index) =>
        declareCards(ports, everything, { submissions: [prompt(index)], key }),
      );
      expect(outcomesOf(settled)).toEqual(['WYRD_REGISTRY_409_IDEMPOTENCY_CONFLICT', 'done']);
      const cards = await stores.registry.list('acme', {}, { limit: 10, after: null });
      expect(cards.items).toHaveLength(1);
    });

    it('declaring the same Cards: both get them', async () => {
      const { both } = await twoProcesses(make);
      const key = `card-declaration-${v7()}`;
      const [left, right] = await both((ports) => declareCards(ports, everything, { submissions: [prompt(0)], key }));
      const uids = [left, right].map((one) => one?.status === 'fulfilled' && one.value.answer.root.uid);
      expect(uids[0]).toBeTruthy();
      expect(uids[0]).toBe(uids[1]);
    });

    it('submitting different work: one is accepted, the other is told of its key', async () => {
      const { both, stores, declare } = await twoProcesses(make);
      const uids = await declare(desk());
      const key = `verification-submit-${v7()}`;
      const settled = await both((ports, index) => enqueue(ports, everything, submitted(uids, `answer ${index}`, key)));
      expect(outcomesOf(settled)).toEqual(['WYRD_REGISTRY_409_IDEMPOTENCY_CONFLICT', 'done']);
      expect(await stores.attempts.unsettled('acme')).toBe(1);
    });

    it('submitting the same work: both get the same id', async () => {
      const { both, stores, declare } = await twoProcesses(make);
      const uids = await declare(desk());
      const key = `verification-submit-${v7()}`;
      const settled = await both((ports) => enqueue(ports, everything, submitted(uids, 'answer', key)));
      const ids = settled.map((one) => (one.status === 'fulfilled' ? one.value : one.reason));
      expect(ids[0]).toBe(ids[1]);
      expect(await stores.attempts.unsettled('acme')).toBe(1);
    });

    it('completing a Card: both get it active', async () => {
      const { both, stores, declare } = await twoProcesses(make);
      const entry = { relative_path: 'manual.md', sha256: digest.toString('base64'), size_bytes: bytes.length };
      const uids = await declare([{ ...card('Artifact', 'manual', {}), artifacts: [entry] }]);
      const sha256 = digest.toString('hex');
      await stores.evidence.write('acme', { sha256, size_bytes: bytes.length }, once(bytes));
      const [upload] = await stores.uploads.ofCard('acme', uids.manual ?? '');
      await completeUpload(portsOf(stores), everything, upload?.upload_id ?? '');
      const key = `card-complete-${v7()}`;
      const settled = await both((ports) => completeCard(ports, everything, { card_uid: uids.manual ?? '', key }));
      expect(outcomesOf(settled)).toEqual(['done', 'done']);
      expect((await stores.registry.byUid('acme', uids.manual ?? ''))?.status).toBe('active');
    });
  });
}

async function twoProcesses(make: () => Promise<SharedStores>) {
  const stores = await make();
  return {
    stores,
    /** The call in both, after each has seen that the key is free. */
    async both<Answer>(call: (ports: Ports, index: number) => Promise<Answer>) {
      const idempotency = meetingOnce(stores.idempotency, 2);
      return Promise.allSettled([0, 1].map((index) => call(portsOf({ ...stores, idempotency }), index)));
    },
    async declare(submissions: readonly JsonObject[]): Promise<Record<string, string>> {
      const key = `card-declaration-${v7()}`;
      const { answer } = await declareCards(portsOf(stores), everything, { submissions, key });
      return Object.fromEntries(answer.outcomes.map(({ card_ref }) => [card_ref.name, card_ref.uid ?? '']));
    },
  };
}

function portsOf(stores: SharedStores): Ports {
  return {
    ...stores,
    clock: systemClock,
    ids: systemIds,
    log: { info() {}, warn() {}, error() {} },
    workflow: { start: async () => {} },
    callsInFlight: new Map(),
    compiledVerifiers: boundedCache(10),
  };
}

/** The first look of each of so many readers is answered when all of them have looked. */
function meetingOnce({ find }: Idempotency, readers: number): Idempotency {
  const { promise: all, resolve: allLooked } = Promise.withResolvers<void>();
  let looked = 0;
  return {
    async find(tenant, scope, notBefore) {
      const row = await find(tenant, scope, notBefore);
      looked += 1;
      if (looked === readers) allLooked();
      await all;
      return row;
    },
  };
}

function outcomesOf(settled: readonly PromiseSettledResult<unknown>[]): readonly string[] {
  return settled.map((one) => (one.status === 'fulfilled' ? 'done' : (one.reason.code ?? String(one.reason)))).sort();
}

function prompt(index: number): JsonObject {
  const messages = [{ role: 'user', content: 'hello' }];
  return card('Prompt', `prompt-${index}`, { provider: 'openai', model: 'm', messages });
}

function submitted(uids: Readonly<Record<string, string>>, value: string, key: string) {
  const inputs = { answer: { kind: 'json', value } };
  const target = { verifier_card_uid: uids.tone ?? '', card_uid: uids['desk-agent'] ?? '' };
  const request = {
    ...target,
    inputs,
    run_id: null,
    group_id: null,
    execution_route_overrides: {},
    deployment_environment: null,
    workload_uid: null,
  };
  return { request, key, body: { ...target, inputs } };
}

async function* once(all: Uint8Array) {
  yield all;
}
