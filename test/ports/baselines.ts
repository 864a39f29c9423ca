import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { type BaselineFit, baselineDueId, baselineFormat } from '#service/ports/baselines.ts';
import type { HostPorts } from '#service/ports/host.ts';
import { declarationOf, storedCard } from '#test/support/stored-things.ts';

type BaselineStores = Pick<HostPorts, 'baselines' | 'dueRows' | 'registry'>;

const fit: BaselineFit = {
  method: 'Psi',
  features: [
    { feature: '__proto__', kind: 'categorical', labels: ['é', ''], proportions: [0.25, 0.75, 0] },
    { feature: 'x', kind: 'numeric', edges: [-1e300, 0.1], proportions: [0.1, 0.2, 0.7] },
  ],
};

export function testBaselines(name: string, make: () => Promise<BaselineStores>): void {
  describe(`Baselines: ${name}`, () => {
    const at = Date.parse('2026-03-02T09:00:00Z');
    const until = at + 900_000;
    const begun = async () => {
      const stores = await make();
      const tenant = randomUUID();
      const place = { verifier_uid: v7(), requirement: 'ist die Verteilung »gleich«?' };
      const card = storedCard({ uid: place.verifier_uid, kind: 'Verifier' });
      await stores.registry.declare(tenant, declarationOf([card], { baselines: [{ ...place, due_at: at }] }));
      return { ...stores, tenant, place };
    };

    it('is pending and due from its declaration, and nobody knows another', async () => {
      const { baselines, dueRows, tenant, place } = await begun();
      expect(await baselines.find(tenant, place)).toEqual({ status: 'pending' });
      expect(await baselines.find(randomUUID(), place)).toBeNull();
      expect(await baselines.find(tenant, { ...place, requirement: 'other' })).toBeNull();
      const due = await dueRows.due({ now: at, limit: 1_000 });
      expect(due.find(({ id }) => id === baselineDueId(place))).toMatchObject({ kind: 'baseline', tenant });
    });

    it('is fitted by one of many, once, and is read whole', async () => {
      const { baselines, dueRows, tenant, place } = await begun();
      const claims = await Promise.all(
        Array.from({ length: 10 }, (_none, index) =>
          baselines.begin(tenant, place, { lease: `l${index}`, now: at, until }),
        ),
      );
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(await baselines.find(tenant, place)).toEqual({ status: 'building' });
      expect(await baselines.end(tenant, place, 'another', { status: 'ready', fit })).toBe(false);
      expect(await baselines.end(tenant, place, `l${claims.indexOf(true)}`, { status: 'ready', fit })).toBe(true);
      expect(await baselines.find(tenant, place)).toEqual({ status: 'ready', fit, format: baselineFormat });
      const due = await dueRows.due({ now: until * 2, limit: 1_000 });
      expect(due.some(({ id }) => id === baselineDueId(place))).toBe(false);
      expect(await baselines.begin(tenant, place, { lease: 'late', now: until * 2, until: until * 3 })).toBe(false);
      expect(await baselines.retry(tenant, place, at)).toBe(false);
    });

    it('is taken over when its lease has lapsed, and the late one writes nothing', async () => {
      const { baselines, dueRows, tenant, place } = await begun();
      expect(await baselines.begin(tenant, place, { lease: 'first', now: at, until })).toBe(true);
      expect(await baselines.begin(tenant, place, { lease: 'second', now: until - 1, until: until * 2 })).toBe(false);
      const due = await dueRows.due({ now: until, limit: 1_000 });
      expect(due.some(({ id }) => id === baselineDueId(place))).toBe(true);
      expect(await baselines.begin(tenant, place, { lease: 'second', now: until, until: until * 2 })).toBe(true);
      expect(await baselines.end(tenant, place, 'first', { status: 'failed', reason: 'late' })).toBe(false);
      expect(await baselines.find(tenant, place)).toEqual({ status: 'building' });
      expect(await baselines.end(tenant, place, 'second', { status: 'ready', fit })).toBe(true);
    });

    it('that failed says why, and waits only when it is asked for again', async () => {
      const { baselines, tenant, place } = await begun();
      await baselines.begin(tenant, place, { lease: 'l', now: at, until });
      expect(await baselines.retry(tenant, place, at)).toBe(false);
      expect(await baselines.end(tenant, place, 'l', { status: 'failed', reason: 'it has no rows' })).toBe(true);
      expect(await baselines.find(tenant, place)).toEqual({ status: 'failed', reason: 'it has no rows' });
      expect(await baselines.begin(tenant, place, { lease: 'm', now: until * 2, until: until * 3 })).toBe(false);
      expect(await baselines.retry(randomUUID(), place, at)).toBe(false);
      expect(await baselines.retry(tenant, place, at)).toBe(true);
      expect(await baselines.find(tenant, place)).toEqual({ status: 'pending' });
      expect(await baselines.begin(tenant, place, { lease: 'm', now: at, until })).toBe(true);
    });
  });
}
