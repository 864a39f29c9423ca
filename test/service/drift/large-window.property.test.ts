import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DriftSpec } from '#contract/cards/drift.ts';
import type { BaselineFit } from '#engine/drift/statistics.ts';
import { countWindow } from '#service/drift/count-window.ts';
import { gatherRows, orderOf } from '#service/drift/gather-rows.ts';
import { mergeShares, performPart } from '#service/drift/large/large-window.ts';
import { mostWindowRows, partsLeft, planWindow } from '#service/drift/large/window-plan.ts';
import type { IngestedRow, LargeWindows } from '#service/ports/large-windows.ts';
import type { WindowLook } from '#service/ports/observations.ts';
import { memoryPieces, memoryWindows } from '#test/support/memory-windows.ts';
import { numRuns } from '#test/support/num-runs.ts';
import { testWindowPieces } from '../../ports/window-pieces.ts';

testWindowPieces('in memory', async () => memoryPieces());

const signal = {
  kind: 'Distribution' as const,
  baseline_ref: { kind: 'Data' as const, name: 'b', version: '1.0.0' },
  features: ['x', '__proto__'],
};
const limits = { center: 0, lower: -1, upper: 1 };

const checks: readonly (readonly [DriftSpec, BaselineFit | null])[] = [
  [
    {
      method: 'Psi',
      signal,
      profile: {
        kind: 'Psi',
        binning_strategy: { kind: 'EqualWidth', n_bins: 4 },
        categorical_features: ['__proto__'],
        threshold: { kind: 'Fixed', value: 0.25 },
      },
    },
    {
      method: 'Psi',
      features: [
        { feature: 'x', kind: 'numeric', edges: [-1, 0, 1], proportions: [0.25, 0.25, 0.25, 0.25] },
        { feature: '__proto__', kind: 'categorical', labels: ['a', 'b'], proportions: [0.5, 0.5, 0] },
      ],
    },
  ],
  [
    { method: 'Spc', signal: { ...signal, features: ['x'] }, profile: { kind: 'Spc', sample_size: 3 } },
    { method: 'Spc', features: [{ feature: 'x', x_bar: limits, s: limits }] },
  ],
  [
    {
      method: 'Custom',
      signal: { kind: 'Metric', name: 'x' },
      profile: { kind: 'Custom', metric_name: 'x', baseline_value: 0, alert_threshold: 1 },
    },
    null,
  ],
];

const row: fc.Arbitrary<IngestedRow> = fc.record({
  record_id: fc.oneof(fc.uuid(), fc.constantFrom('a', 'b', 'c', '__proto__', 'é', '\n')),
  order: fc.integer({ min: 0, max: 9 }).map((second) => orderOf(`2026-03-01T00:00:0${second}.5Z`)),
  features: fc
    .tuple(
      fc.option(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true, min: -3, max: 3 }), fc.constant('text'))),
      fc.option(fc.constantFrom('a', 'b', 'c\n', '"', '')),
      fc.option(fc.constant(1)),
    )
    .map(([x, label, other]) => [
      ...(x === null ? [] : [['x', x] as const]),
      ...(label === null ? [] : [['__proto__', label] as const]),
      ...(other === null ? [] : [['unrelated', other] as const]),
    ]),
});
/** Whole rows more often than not, so that there is something to count. */
const wholeRow = row.map(
  (one): IngestedRow => ({
    ...one,
    features: [
      ['x', one.order.length / 10],
      ['__proto__', 'a'],
    ],
  }),
);
const batches = fc.array(fc.array(fc.oneof(row, wholeRow), { maxLength: 12 }), { maxLength: 12 });
const wholeBatches = fc.array(fc.array(wholeRow, { maxLength: 20 }), { maxLength: 12 });

function lookOf(spec: DriftSpec): WindowLook {
  const features = spec.method === 'Custom' ? [spec.signal.name] : spec.signal.features;
  return { subject_card_uid: 'agent', from: 0, to: 1, features };
}

async function inOneStream(all: readonly IngestedRow[], spec: DriftSpec, fit: BaselineFit | null) {
  const look = lookOf(spec);
  const gathering = gatherRows(look.features);
  for (const one of all) gathering.add(one);
  const observations = {
    async *window() {
      yield* gathering.inOrder();
    },
  };
  const clock = { now: () => 0, sleep: async () => {} };
  const stream = { ...observations, append: async () => null, newest: async () => [] };
  return countWindow({ observations: stream, clock }, 'main', { spec, fit, look }, new AbortController().signal);
}

/** As the machine does it, each part in an order of its own and twice. Null: one function is enough. */
async function inParts(large: LargeWindows, spec: DriftSpec, fit: BaselineFit | null, seed: number) {
  const place = { tenant: 'main', execution_id: 'e', attempt: 1, work_id: 'check:psi' };
  const look = lookOf(spec);
  const of = { large, place, spec, fit, look };
  const plan = await planWindow(large, place, look);
  if (plan === null) return null;
  for (;;) {
    const left = await partsLeft(large, place, plan);
    if (left.length === 0) return mergeShares(of, plan);
    const shuffled = [...left].sort((one, other) => ((one.index * seed) % 7) - ((other.index * seed) % 7));
    for (const part of [...shuffled, ...shuffled.slice(0, 1)]) await performPart(of, part);
  }
}

describe('a window that is counted in parts', () => {
  for (const [spec, fit] of checks) {
    it.each([
      ['any rows', batches],
      ['whole rows', wholeBatches],
    ] as const)(`${spec.method}: holds what it holds in one stream (%s)`, async (_name, given) => {
      let inPartsAtAll = 0;
      await fc.assert(
        fc.asyncProperty(given, fc.integer({ min: 1, max: 20 }), fc.nat(), async (window, partRows, seed) => {
          const parts = await inParts(memoryWindows(window, partRows), spec, fit, seed);
          if (parts === null) return;
          inPartsAtAll += 1;
          expect(parts).toEqual(await inOneStream(window.flat(), spec, fit));
        }),
        { numRuns: numRuns(100) },
      );
      expect(inPartsAtAll).toBeGreaterThan(50);
    });
  }

  it('has no more rows than a baseline may have', async () => {
    const [[spec]] = checks as [(typeof checks)[number]];
    const place = { tenant: 'main', execution_id: 'e', attempt: 1, work_id: 'check:psi' };
    const large = memoryWindows([], 100);
    const sized = (rows: number) => ({ ...large.ranges, of: async () => [{ from: '0', to: '1', rows }] });
    const plan = await planWindow({ ...large, ranges: sized(mostWindowRows + 1) }, place, lookOf(spec));
    expect(plan?.ranges).toEqual([]);
    expect(await partsLeft(large, place, plan ?? { ranges: [], shares: 1 })).toEqual([]);
  });
});
