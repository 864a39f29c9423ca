import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import simulation from '../../docs/data/scale-simulation.json' with { type: 'json' };

const read = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');

it('the page on scale says what the simulation found', () => {
  const { direct_one_tenant: direct, background_one_tenant: one, background_thousand_tenants: many } = simulation.loads;
  const page = read('scale.md');
  const rate = (index: { hottest_writes_per_second: number; percent_of_a_partition: number }) =>
    `${Math.round(index.hottest_writes_per_second)}/s (${Math.round(index.percent_of_a_partition)} %)`;
  for (const index of [
    direct['index list'],
    one['index list'],
    one['index open'],
    one['index due'],
    many['index due'],
  ]) {
    expect(page).toContain(rate(index));
  }
  for (const index of [direct['index list'], one['index list'], many['index due']]) {
    expect(page).toContain(`${index.executions_per_second_until_hot.toLocaleString('en')}/s`);
  }
});

it('the page on scale costs what the page on cost computes', () => {
  const sums = [...read('cost.md').matchAll(/^\| (?:execute, warm|submit, judged).*? \| ([\d,]+) \| [\d,]+ \|$/gm)];
  expect(sums).toHaveLength(2);
  for (const [, day] of sums) expect(read('scale.md')).toContain(`${day} USD a day`);
});
