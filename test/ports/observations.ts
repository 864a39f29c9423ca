import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { FeatureValue, Observation, Observations, WindowLook } from '#service/ports/observations.ts';

function recordOf(record_id: string, created_at: string, features: Record<string, FeatureValue>): Observation {
  return {
    record_id,
    subject_card_uid: 'agent',
    run_id: null,
    created_at,
    features: new Map(Object.entries(features)),
  };
}

async function see(observations: Observations, tenant: string, more: Partial<WindowLook> = {}) {
  const look = { subject_card_uid: 'agent', from: 0, to: 10_000, features: ['a', 'b'], ...more };
  const rows: unknown[] = [];
  for await (const row of observations.window(tenant, look)) rows.push([row.record_id, Object.fromEntries(row.values)]);
  return rows;
}

export function testObservations(name: string, make: () => Promise<{ readonly observations: Observations }>): void {
  describe(`Observations: ${name}`, () => {
    it('keeps a batch once, and refuses another one under its id', async () => {
      const { observations } = await make();
      const tenant = randomUUID();
      const batch = {
        batch_id: randomUUID(),
        sha256: 'x',
        observations: [recordOf('1', '2026-05-04T08:00:00Z', { a: 1 })],
      };
      expect(await observations.append(tenant, batch, 1_000)).toBe(1_000);
      expect(await observations.append(tenant, batch, 2_000)).toBe(1_000);
      expect(await observations.append(tenant, { ...batch, sha256: 'y' }, 2_000)).toBeNull();
      expect(await see(observations, tenant)).toEqual([['1', { a: 1 }]]);
      expect(await see(observations, randomUUID())).toEqual([]);
    });

    it('orders by creation, then id; the first ingested of a feature stays', async () => {
      const { observations } = await make();
      const tenant = randomUUID();
      const send = (at: number, ...records: Observation[]) =>
        observations.append(tenant, { batch_id: randomUUID(), sha256: 'x', observations: records }, at);
      await send(
        1_000,
        recordOf('c', '2026-05-04T08:00:00.5Z', { a: 1 }),
        recordOf('b', '2026-05-04T08:00:00.50Z', { a: null }),
      );
      await send(
        2_000,
        recordOf('a', '2026-05-04T08:00:00.25Z', { other: 1 }),
        recordOf('d', '2026-05-04T08:00:00Z', { b: 'x' }),
      );
      await send(3_000, recordOf('c', '2026-05-04T07:00:00Z', { a: 2, b: 'late' }));
      expect(await see(observations, tenant)).toEqual([
        ['d', { b: 'x' }],
        ['b', { a: null }],
        ['c', { a: 1, b: 'late' }],
      ]);
    });

    it('has windows of ingest, half-open, of one subject', async () => {
      const { observations } = await make();
      const tenant = randomUUID();
      for (const at of [1_000, 2_000, 3_000]) {
        const records = [recordOf(String(at), '2026-05-04T08:00:00Z', { a: at })];
        await observations.append(tenant, { batch_id: randomUUID(), sha256: 'x', observations: records }, at);
      }
      expect(await see(observations, tenant, { from: 1_000, to: 3_000 })).toEqual([
        ['1000', { a: 1_000 }],
        ['2000', { a: 2_000 }],
      ]);
      expect(await see(observations, tenant, { subject_card_uid: 'another' })).toEqual([]);
    });

    it('orders a window of many rows alike, whatever came when', async () => {
      const { observations } = await make();
      const tenant = randomUUID();
      const count = 3_000;
      const second = (index: number) => new Date(Date.UTC(2026, 4, 4) + index * 1_000).toISOString();
      const send = (at: number, records: Observation[]) =>
        observations.append(tenant, { batch_id: randomUUID(), sha256: 'x', observations: records }, at);
      // 7 and 3,000 have no common divisor: each second once, none in its order, and two records share one.
      const records = Array.from({ length: count }, (_none, index) => {
        const place = (index * 7) % count;
        return recordOf(`r${String(place).padStart(4, '0')}`, second(place - (place % 2)), { a: place, other: 'x' });
      });
      for (let from = 0; from < count; from += 500) await send(1_000 + from, records.slice(from, from + 500));
      const again = records.slice(0, 400).map(({ record_id }) => recordOf(record_id, second(0), { a: -1, b: 'late' }));
      await send(8_000, again);
      await send(8_001, [recordOf('none', second(1), { other: 'y' })]);
      const late = new Set(again.map(({ record_id }) => record_id));
      const expected = Array.from({ length: count }, (_none, place) => {
        const id = `r${String(place).padStart(4, '0')}`;
        return [id, late.has(id) ? { a: place, b: 'late' } : { a: place }];
      });
      expect(await see(observations, tenant)).toEqual(expected);
    });
  });
}
