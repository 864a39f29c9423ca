import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { JsonObject } from '#contract/json.ts';
import { declareCards } from '#service/cards/declare.ts';
import { type BaselineState, fittingMs } from '#service/ports/baselines.ts';
import type { Scene } from '../crash-table.ts';
import { administratorOf, type CrashWorld, minute } from '../crash-world.ts';
import { windowSpec } from '../declare-window.ts';
import { parquetOf } from '../drift-case.ts';
import { card, uniqueKey } from '../embedded-host.ts';

/** Labels of such a number and length that their fit is stored apart from its row. */
const labels = Array.from({ length: 3_000 }, (_unused, index) => `${'label '.repeat(20)}${index}`);
export const labelledFile = parquetOf({ label: [...labels, ...labels] });

export const labelledCheck: JsonObject = {
  kind: 'drift',
  on: 'inputs.sample',
  method: 'Psi',
  signal: {
    kind: 'Distribution',
    baseline_ref: { kind: 'Data', name: 'baseline', version: '1.0.0' },
    features: ['label'],
  },
  condition: { kind: 'Statistical' },
  profile: {
    kind: 'Psi',
    binning_strategy: { kind: 'EqualWidth', n_bins: 2 },
    categorical_features: ['label'],
    threshold: { kind: 'Fixed', value: 0.25 },
  },
};

/** A sweep that fits a baseline. */
export async function fit(world: CrashWorld, tenant: string): Promise<Scene> {
  const { ports } = world.process();
  const principal = administratorOf(tenant);
  const digest = createHash('sha256').update(labelledFile.bytes).digest();
  const declared = { sha256: digest.toString('hex'), size_bytes: labelledFile.size_bytes };
  await ports.evidence.write(tenant, declared, pieces(labelledFile.bytes));
  const artifacts = [{ ...declared, relative_path: 'rows.parquet', sha256: digest.toString('base64') }];
  const data = { ...card('Data', 'baseline', { interface: { kind: 'Parquet' } }), artifacts };
  const { answer } = await declareCards(ports, principal, { submissions: [data], key: uniqueKey() });
  await ports.registry.settlePending(tenant, answer.root.uid ?? '', 'active', new Date(world.now).toISOString());
  const verifier = card('Verifier', 'steady', windowSpec({ steady: labelledCheck }));
  const bound = await declareCards(ports, principal, { submissions: [verifier], key: uniqueKey() });
  const place = { verifier_uid: bound.answer.root.uid ?? '', requirement: 'steady' };
  const find = () => ports.baselines.find(tenant, place);
  world.pass(minute);
  let left: BaselineState | null = null;
  return {
    work: (process) => process.sweep(),
    async left() {
      left = await find();
      if (left?.status === 'ready') expectWhole(left);
      else expect(['pending', 'building']).toContain(left?.status);
    },
    async after() {
      if (left?.status === 'building') {
        world.pass(fittingMs - minute);
        await world.process().sweep();
        // Who fits it may still live for all we know.
        expect(await find()).toEqual(left);
        world.pass(minute);
      }
      await world.process().sweep();
      const ready = await find();
      expectWhole(ready);
      world.pass(2 * fittingMs);
      const late = world.process();
      await late.sweep();
      expect(late.life.writes).toEqual([]);
      expect(await find()).toEqual(ready);
    },
  };
}

/** The fit of all labels, with all their shares. */
export function expectWhole(state: BaselineState | null): void {
  expect(state).toMatchObject({ status: 'ready', fit: { method: 'Psi', features: [{ kind: 'categorical' }] } });
  const [feature] = state?.status === 'ready' && state.fit.method === 'Psi' ? state.fit.features : [];
  expect(feature?.kind === 'categorical' && feature.labels.length).toBe(labels.length);
  expect(feature?.proportions.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
}

async function* pieces(bytes: Uint8Array) {
  yield bytes;
}
