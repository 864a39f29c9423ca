import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { providerUrls } from '#service/operators/build-request.ts';
import { type DeliverPorts, deliverDispatch } from '#service/operators/deliver-dispatch.ts';
import type { DeliveryRequest } from '#service/ports/deliver.ts';
import type { NewDispatch } from '#service/ports/dispatches.ts';
import { storeFailure } from '#service/ports/store-failure.ts';
import { openEmbeddedStores } from '#test/support/open-stores.ts';
import { settleWithDispatches } from '#test/support/settle-with-dispatches.ts';
import { declarationOf, storedCard } from '#test/support/stored-things.ts';

const tenant = 'main';
const t0 = Date.parse('2026-03-02T09:00:00.000Z');
const http = { kind: 'http', method: 'post', url: 'https://hooks.example.com/' };
const withKey = { ...http, auth: { scheme: 'bearer', connection: 'hooks' } };
const signal = new AbortController().signal;

/** One dispatch of this Operator on real stores, a provider that takes everything, and a clock that stands. */
async function inWorld(
  operator: JsonObject,
  use: (world: {
    readonly ports: DeliverPorts;
    readonly dispatch: NewDispatch;
    readonly sent: readonly DeliveryRequest[];
    readonly at: (seconds: number) => void;
    readonly look: () => Promise<JsonObject>;
  }) => Promise<void>,
): Promise<void> {
  let now = t0;
  const clock = { now: () => now, sleep: async () => {} };
  await using opened = await openEmbeddedStores(clock);
  const { stores } = opened;
  const sent: DeliveryRequest[] = [];
  const [dispatch] = await settleWithDispatches(stores, tenant, t0, [operator]);
  if (dispatch === undefined) throw new Error('no dispatch');
  const ports: DeliverPorts = {
    ...stores,
    clock,
    ids: { next: v7 },
    log: { info() {}, warn() {}, error() {} },
    providerUrls,
    deliver: {
      async send(request) {
        sent.push(request);
        return { kind: 'answer', status: 200, retry_after: null, body: '' };
      },
    },
  };
  await use({
    ports,
    dispatch,
    sent,
    at: (seconds) => {
      now = t0 + seconds * 1_000;
    },
    look: async () => {
      const [row] = await stores.dispatches.ofExecution(tenant, dispatch.execution_id);
      return { status: row?.status ?? '', error: row?.error ?? null, attempts: row?.attempts ?? 0 };
    },
  });
}

async function connected(
  { connections, secretBox }: DeliverPorts,
  more: object = {},
  sealedFor = tenant,
): Promise<void> {
  const connection_id = v7();
  const sealed = await secretBox.seal(
    { tenant: sealedFor, connection_id },
    JSON.stringify({ kind: 'token', token: 't' }),
  );
  const at = new Date(t0).toISOString();
  const own = { connection_id, name: 'hooks', provider: 'http', origin: 'https://hooks.example.com', sealed } as const;
  const auth = { scheme: 'bearer' } as const;
  await connections.create(tenant, { ...own, auth, status: 'active', created_at: at, updated_at: at, ...more });
}

describe('one attempt (docs/spec/background.md §9)', () => {
  it('is made by one of many workers', async () => {
    await inWorld(http, async ({ ports, dispatch, sent, look }) => {
      await Promise.all(Array.from({ length: 5 }, () => deliverDispatch(ports, tenant, dispatch, signal)));
      expect(sent).toHaveLength(1);
      expect(await look()).toEqual({ status: 'delivered', error: null, attempts: 1 });
      await deliverDispatch(ports, tenant, dispatch, signal);
      expect(sent).toHaveLength(1);
    });
  });

  it('is not made after five minutes', async () => {
    await inWorld(http, async ({ ports, dispatch, sent, at, look }) => {
      at(300.001);
      await deliverDispatch(ports, tenant, dispatch, signal);
      expect(sent).toEqual([]);
      expect(await look()).toEqual({ status: 'failed', error: 'attempt_timed_out', attempts: 1 });
    });
    await inWorld(http, async ({ ports, dispatch, sent, at }) => {
      at(300);
      await deliverDispatch(ports, tenant, dispatch, signal);
      expect(sent).toHaveLength(1);
    });
  });

  it('is not made a fourth time, though three were cut off', async () => {
    await inWorld(http, async ({ ports, dispatch, sent, at, look }) => {
      const dies: DeliverPorts = { ...ports, deliver: { send: () => Promise.reject(new Error('the host stops')) } };
      for (const seconds of [0, 60, 120]) {
        at(seconds);
        await expect(deliverDispatch(dies, tenant, dispatch, signal)).rejects.toThrow('the host stops');
      }
      expect(await look()).toEqual({ status: 'running', error: null, attempts: 3 });
      at(180);
      await deliverDispatch(ports, tenant, dispatch, signal);
      expect(sent).toEqual([]);
      expect(await look()).toMatchObject({ status: 'failed', error: 'attempt_timed_out' });
    });
  });

  it('needs its Operator Card to be there still', async () => {
    const uid = v7();
    await inWorld({ uid }, async ({ ports, dispatch, sent, look }) => {
      await deliverDispatch(ports, tenant, dispatch, signal);
      expect([sent, await look()]).toMatchObject([[], { status: 'failed', error: 'operator_unavailable' }]);
    });
    for (const [status, deliveries] of [
      ['active', 1],
      ['deprecated', 1],
      ['deleted', 0],
    ] as const) {
      await inWorld({ uid }, async ({ ports, dispatch, sent }) => {
        const card = storedCard({ kind: 'Operator', name: 'tell-desk', uid, spec: http, status });
        await ports.registry.declare(tenant, declarationOf([card]));
        await deliverDispatch(ports, tenant, dispatch, signal);
        expect([status, sent.length]).toEqual([status, deliveries]);
      });
    }
  });

  it.each<[string, object]>([
    ['disabled', { status: 'disabled' }],
    ['of another origin', { origin: 'https://other.example.com' }],
    ['of another scheme', { auth: { scheme: 'basic' } }],
    ['of another provider', { provider: 'slack' }],
    ['of another name', { name: 'others' }],
  ])('uses no connection %s', async (_name, more) => {
    await inWorld(withKey, async ({ ports, dispatch, sent, look }) => {
      await connected(ports, more);
      await deliverDispatch(ports, tenant, dispatch, signal);
      expect([sent, await look()]).toMatchObject([[], { status: 'failed', error: 'connection_unavailable' }]);
    });
  });

  it('sends the secret of its connection, and ends when that cannot be opened', async () => {
    await inWorld(withKey, async ({ ports, dispatch, sent }) => {
      await connected(ports);
      await deliverDispatch(ports, tenant, dispatch, signal);
      expect(sent[0]?.headers).toMatchObject({ authorization: 'Bearer t' });
    });
    await inWorld(withKey, async ({ ports, dispatch, sent, look }) => {
      await connected(ports, {}, 'other');
      await deliverDispatch(ports, tenant, dispatch, signal);
      expect([sent, await look()]).toMatchObject([[], { status: 'failed', error: 'credential_invalid' }]);
    });
  });

  it('waits for a key that is not available now', async () => {
    await inWorld(withKey, async ({ ports, dispatch, sent, at, look }) => {
      await connected(ports);
      const open = () => Promise.reject(storeFailure('no key', null));
      const keyless = { ...ports, secretBox: { ...ports.secretBox, open } };
      await deliverDispatch(keyless, tenant, dispatch, signal);
      expect(await look()).toEqual({ status: 'retrying', error: 'credential_store_unavailable', attempts: 1 });
      at(29);
      await deliverDispatch(ports, tenant, dispatch, signal);
      expect(sent).toEqual([]);
      at(30);
      await deliverDispatch(ports, tenant, dispatch, signal);
      expect([sent.length, await look()]).toMatchObject([1, { status: 'delivered', error: null, attempts: 2 }]);
    });
  });
});
