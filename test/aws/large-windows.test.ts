import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { DriftSpec } from '#contract/cards/drift.ts';
import type { BaselineFit } from '#engine/drift/statistics.ts';
import { countWindow } from '#service/drift/count-window.ts';
import { mergeShares, performPart } from '#service/drift/large/large-window.ts';
import { partsLeft, planWindow } from '#service/drift/large/window-plan.ts';
import type { Observation } from '#service/ports/observations.ts';
import { freshAwsStore } from '#test/support/aws-store.ts';
import { seededRandom } from '#test/support/seeded-random.ts';
import { testWindowPieces } from '../ports/window-pieces.ts';

const store = await freshAwsStore();
const { observations, largeWindows: large } = store.ports;

testWindowPieces('S3', async () => large.pieces);

const spc: DriftSpec = {
  method: 'Spc',
  signal: { kind: 'Distribution', baseline_ref: { kind: 'Data', name: 'b', version: '1.0.0' }, features: ['x', 'y'] },
  profile: { kind: 'Spc', sample_size: 4 },
};
const psi: DriftSpec = {
  ...spc,
  method: 'Psi',
  profile: {
    kind: 'Psi',
    binning_strategy: { kind: 'Quantile', n_bins: 3 },
    threshold: { kind: 'ChiSquare', alpha: 0.05 },
  },
};
const limits = { center: 0.5, lower: 0.2, upper: 0.8 };
const numeric = { kind: 'numeric', edges: [0.3, 0.6], proportions: [0.3, 0.3, 0.4] } as const;
const checks: readonly (readonly [DriftSpec, BaselineFit])[] = [
  [spc, { method: 'Spc', features: ['x', 'y'].map((feature) => ({ feature, x_bar: limits, s: limits })) }],
  [psi, { method: 'Psi', features: ['x', 'y'].map((feature) => ({ feature, ...numeric })) }],
];

/** Batches small enough for an item and large ones that lie in S3; records are sent again later, and split over two. */
async function sendWindow(tenant: string): Promise<void> {
  const random = seededRandom(7);
  const record = (id: number, features: Record<string, number>): Observation => ({
    record_id: `r${id}`,
    subject_card_uid: 'agent',
    run_id: null,
    created_at: `2026-03-01T00:00:${String(id % 60).padStart(2, '0')}Z`,
    features: new Map(Object.entries(features)),
  });
  const sizes = [1, 90, 150, 3, 40, 120];
  let next = 0;
  for (const [index, size] of sizes.entries()) {
    const rows = Array.from({ length: size }, () => {
      next += 1;
      return record(next, { x: random(), y: random() });
    });
    const again = index === 0 ? [] : [record(1, { x: 9, y: 9 }), record(10_000 + index, { x: random() })];
    const late = index === 0 ? [] : [record(10_000 + index, { y: random() })];
    for (const batch of [[...rows, ...again], late].filter(({ length }) => length > 0)) {
      await observations.append(tenant, { batch_id: v7(), sha256: 'x', observations: batch }, 1_000 + index * 10);
    }
  }
}

describe('windows counted in parts on AWS', () => {
  const look = { subject_card_uid: 'agent', from: 1_000, to: 2_000, features: ['x', 'y'] };

  it('divides a window by its batches, without a row of another window, subject or tenant', async () => {
    await sendWindow('divided');
    const ranges = await large.ranges.of('divided', look, 100);
    expect(ranges.map(({ rows }) => rows)).toEqual([94, 152, 50, 122, 1]);
    const ids: string[] = [];
    for (const range of ranges) {
      for await (const rows of large.ranges.rows('divided', 'agent', range))
        ids.push(...rows.map((row) => row.record_id));
    }
    expect(ids).toHaveLength(419);
    expect(await large.ranges.of('divided', { ...look, from: 1_001, to: 1_010 }, 100)).toEqual([]);
    expect(await large.ranges.of('divided', { ...look, subject_card_uid: 'other' }, 100)).toEqual([]);
    expect(await large.ranges.of('other', look, 100)).toEqual([]);
  });

  it.each(checks)('$method: is what one function counts', async (spec, fit) => {
    const tenant = `counted-${spec.method.toLowerCase()}`;
    await sendWindow(tenant);
    const of = { large, spec, fit, look, place: { tenant, execution_id: v7(), attempt: 1, work_id: 'check' } };
    const plan = await planWindow(large, of.place, look);
    if (plan === null) throw new Error('the window is small');
    const phases = new Set<string>();
    for (let left = await partsLeft(large, of.place, plan); left.length > 0; ) {
      for (const part of left) phases.add(part.phase);
      await Promise.all(left.map((part) => performPart(of, part)));
      left = await partsLeft(large, of.place, plan);
    }
    expect([...phases]).toEqual(['split', 'count']);
    const clock = { now: () => 0, sleep: async () => {} };
    const whole = await countWindow({ observations, clock }, tenant, { spec, fit, look }, new AbortController().signal);
    expect(whole.count).toBeGreaterThan(400);
    expect(await mergeShares(of, plan)).toEqual(whole);
  });
});
