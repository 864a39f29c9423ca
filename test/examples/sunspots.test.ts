import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { parquetFiles } from '#adapters/parquet/read-parquet.ts';
import { featurePlots, plotText } from '#cli/output/drift-plot.ts';
import { plotSvg } from '#cli/output/drift-svg.ts';
import type { DriftSpec } from '#contract/cards/drift.ts';
import { foldWindow } from '#engine/drift/fold-window.ts';
import { judgeDrift } from '#engine/drift/report.ts';
import { fitTable } from '#service/drift/fit-table.ts';

const folder = new URL('../../examples/sunspots/', import.meta.url);

async function report() {
  const spec = parseYaml(readFileSync(new URL('steady-sun.yaml', folder), 'utf8')).spec.requirements[0]
    .check as Extract<DriftSpec, { method: 'Psi' }>;
  const bytes = readFileSync(new URL('until-1899.parquet', folder));
  await using table = await parquetFiles.open({
    size_bytes: bytes.length,
    read: async (from, to) => bytes.subarray(from, to),
  });
  if (table === null) throw new Error('no Parquet file');
  const fit = await fitTable(spec, table);
  const fold = foldWindow(spec, fit);
  const rows = parse(readFileSync(new URL('since-1900.csv', folder)), { columns: true }) as {
    readonly sunspots: string;
  }[];
  for (const { sunspots } of rows) fold.add(new Map([['sunspots', Number(sunspots)]]));
  return judgeDrift(spec, fit, fold.statistics());
}

const plain = (_style: string, text: string) => text;

describe('the example of sunspots', () => {
  it('finds drift in the twentieth century, and draws it', async () => {
    const judged = await report();
    expect(judged.outcome).toBe('failed');
    const plots = featurePlots(judged.report ?? undefined);
    const [plot] = plots;
    expect(plot?.bins).toHaveLength(8);
    const total = (of: 'baseline' | 'window') => plot?.bins.reduce((sum, bin) => sum + bin[of], 0);
    expect([total('baseline'), total('window')].map((sum) => sum?.toFixed(9))).toEqual(['1.000000000', '1.000000000']);
    const text = plotText(plots, plain);
    expect(text).toMatch(/^sunspots {2}0\.\d+ > 0\.1291 {2}Drift\n/);
    // The longest bar is as long as the largest share, and no longer than it may be.
    const longest = Math.max(...text.split('\n').map((line) => (line.match(/[█░]/g) ?? []).length));
    expect(longest).toBe(28);
    const svg = plotSvg(plots);
    expect(svg.match(/<rect /g)).toHaveLength(16);
    expect(svg).toContain('&gt; 0.1291 Drift');
  });

  it('shows what is named by others as text only', () => {
    const feature = '</text><script>\u001b[2J';
    const evidence = {
      Psi: { sample: 100, bins: [{ bin: { categorical_value: feature, proportion: 1 }, target_proportion: 1 }] },
    };
    const plots = featurePlots({ features: { x: { feature, score: 1, threshold: 0, verdict: 'Drift', evidence } } });
    expect(plotSvg(plots)).not.toContain('<script');
    expect(plotText(plots, plain)).not.toContain('\u001b');
  });

  it('draws limits of SPC, and nothing where nothing was scored', () => {
    const limits = { center: 2, lower: 0.12, upper: 3.88, signals: 1 };
    const evidence = { Spc: { subgroup_size: 2, subgroups: 2, x_bar: limits, s: { ...limits, signals: 0 } } };
    const plots = featurePlots({
      features: { l: { feature: 'l', score: 1, threshold: 0, verdict: 'Drift', evidence } },
    });
    expect(plotText(plots, plain)).toContain('x_bar  0.12 … 2 … 3.88, 1 outside');
    expect(plotSvg(plots)).toContain('x_bar: 0.12');
    expect(featurePlots({ method: 'Psi', features: {}, verdict: 'Inconclusive' })).toEqual([]);
    expect(featurePlots(undefined)).toEqual([]);
  });
});
