import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { ringDue } from '#service/alarms/ring-due.ts';
import { exchangeToken } from '#service/auth/exchange.ts';
import { createKey, revokeKey } from '#service/auth/keys.ts';
import { rolePermissions } from '#service/auth/permissions.ts';
import type { Principal } from '#service/auth/principal.ts';
import { deleteCard } from '#service/cards/read-cards.ts';
import { activateBinding, readBinding, readOccurrences } from '#service/verify/read-binding.ts';
import { backgroundWorld, type OpenStores } from './background-world.ts';
import { declareWindow, steadyCheck } from './declare-window.ts';

const tenant = 'main';
const administrator: Principal = {
  tenant,
  id: 'administrator',
  permissions: new Set(rolePermissions.admin),
  verifier_uids: null,
  card_uid: null,
};
const start = Date.parse('2026-03-01T08:59:30Z');
const day = 86_400_000;
const minute = 60_000;

/** Which bindings are active (docs/spec/background.md §3.4), on the stores of one host. */
export function bindingActivity(name: string, open: OpenStores): void {
  /** A desk whose window Verifier runs each five minutes, on a host with keys. */
  async function scheduledDesk() {
    const time = { now: start };
    const opened = await open({ now: () => time.now, sleep: async () => {} });
    const world = backgroundWorld(start, opened.stores, time);
    const ports = world.ports();
    const { owner_uid, verifier_uid } = await declareWindow(ports, { steady: steadyCheck });
    const newKey = (card_uid?: string) =>
      createKey(ports, { tenant, name: 'key', role: 'workload', ...(card_uid && { card_uid }) });
    await newKey();
    const [binding] = await ports.registry.bindingsOf(tenant, owner_uid);
    const id = binding?.binding_id ?? expect.fail('no binding');
    return {
      opened,
      world,
      ports,
      owner_uid,
      verifier_uid,
      id,
      newKey,
      read: () => readBinding(ports, administrator, id),
      isActive: async () => (await readBinding(ports, administrator, id)).active,
      async exchange(text: string, workload?: string) {
        const form = {
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          subject_token: text,
          subject_token_type: 'urn:wyrd:oauth:token-type:api_key',
          client_id: 'wyrd-cli',
          ...(workload && { workload_uid: workload }),
        };
        return (await exchangeToken(ports, new Map(Object.entries(form)))).ok;
      },
      /** What became of the occurrence of these minutes past nine. */
      async occurrenceAt(minutes: number) {
        world.now = Date.parse('2026-03-01T09:00:05Z') + minutes * minute;
        await ringDue(ports);
        const { items } = await readOccurrences(ports, administrator, id);
        return items[0]?.status;
      },
    };
  }

  describe(`activity of bindings: ${name}`, () => {
    it('is begun and renewed by exchanges of the owner, and lasts a day', { timeout: 60_000 }, async () => {
      const { opened, world, owner_uid, newKey, isActive, exchange, read, ...desk } = await scheduledDesk();
      await using _opened = opened;
      const { text } = await newKey(owner_uid);
      expect(await read()).toMatchObject({ active: false, next_run_at: null, last_activated_at: null });
      expect(await desk.occurrenceAt(0)).toBe('skipped_inactive');
      expect(await exchange(text)).toBe(true);
      const first = world.now;
      expect(await read()).toMatchObject({ active: true, next_run_at: '2026-03-01T09:05:00.000Z' });
      expect(await desk.occurrenceAt(5)).toBe('admitted');
      world.now = first + day;
      expect(await isActive()).toBe(true);
      world.now = first + day + 1;
      expect(await isActive()).toBe(false);
      expect(await exchange(text)).toBe(true);
      expect(await isActive()).toBe(true);
      expect((await read()).last_activated_at).toBe(new Date(first + day + 1).toISOString());
    });

    it('lasts as long as the host is told', { timeout: 60_000 }, async () => {
      const { opened, world, ports, owner_uid, id, newKey, exchange } = await scheduledDesk();
      await using _opened = opened;
      expect(await exchange((await newKey(owner_uid)).text)).toBe(true);
      const isActiveFor = async (activity_ms: number) =>
        (await readBinding({ ...ports, activity_ms }, administrator, id)).active;
      world.now += minute;
      expect([await isActiveFor(minute), await isActiveFor(minute - 1)]).toEqual([true, false]);
      world.now = Date.parse('2026-03-01T09:05:05Z');
      await ringDue({ ...ports, activity_ms: minute });
      expect((await readOccurrences(ports, administrator, id)).items[0]?.status).toBe('skipped_inactive');
    });

    it('ends at once when the keys of the owner are revoked', { timeout: 60_000 }, async () => {
      const { opened, ports, owner_uid, id, newKey, isActive, exchange, ...desk } = await scheduledDesk();
      await using _opened = opened;
      const keys = [await newKey(owner_uid), await newKey(owner_uid)];
      for (const { text } of keys) expect(await exchange(text)).toBe(true);
      const revoke = (index: number) => revokeKey(ports, tenant, keys[index]?.key.key_id ?? '');
      await revoke(0);
      expect(await isActive()).toBe(true);
      expect(await desk.occurrenceAt(0)).toBe('admitted');
      await revoke(1);
      expect(await isActive()).toBe(false);
      expect(await desk.occurrenceAt(5)).toBe('skipped_inactive');
      for (const { text } of keys) expect(await exchange(text)).toBe(false);
      // Nor does an administrator make a revoked owner run.
      expect(await activateBinding(ports, administrator, id)).toMatchObject({ active: false });
      expect(await exchange((await newKey(owner_uid)).text)).toBe(true);
      expect(await isActive()).toBe(true);
      expect(await desk.occurrenceAt(10)).toBe('admitted');
    });

    it('is begun by an unbound key that runs as the owner, and by an administrator', { timeout: 60_000 }, async () => {
      const { opened, world, ports, owner_uid, verifier_uid, id, newKey, isActive, exchange } = await scheduledDesk();
      await using _opened = opened;
      const { text } = await newKey();
      expect(await exchange(text)).toBe(true);
      // Neither another Card nor one that does not exist begins anything.
      await exchange(text, verifier_uid);
      expect(await exchange(text, v7())).toBe(false);
      expect(await isActive()).toBe(false);
      expect(await exchange(text, owner_uid)).toBe(true);
      expect(await isActive()).toBe(true);
      world.now += day + 1;
      expect(await isActive()).toBe(false);
      expect(await activateBinding(ports, administrator, id)).toMatchObject({ active: true });
    });

    it('ends with the owner, and so do its schedule and its readings', { timeout: 60_000 }, async () => {
      const { opened, world, ports, owner_uid, id, newKey, isActive, exchange, ...desk } = await scheduledDesk();
      await using _opened = opened;
      const { text } = await newKey(owner_uid);
      expect(await exchange(text)).toBe(true);
      expect(await desk.occurrenceAt(0)).toBe('admitted');
      await deleteCard(ports, administrator, { kind: 'Service', uid: owner_uid });
      expect(await isActive()).toBe(false);
      expect(await exchange(text)).toBe(false);
      expect(await desk.occurrenceAt(5)).toBe('skipped_inactive');
      await expect(activateBinding(ports, administrator, id)).rejects.toMatchObject({ code: 'WYRD_SPEC_409_CONFLICT' });
      world.now += 60 * minute;
      await ringDue(ports);
      expect((await readOccurrences(ports, administrator, id)).items).toHaveLength(2);
      expect((await desk.read()).next_run_at).toBeNull();
    });
  });
}
