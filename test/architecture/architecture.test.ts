import { mkdir, rm, writeFile } from 'node:fs/promises';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { afterAll, describe, expect, test } from 'vitest';
import { rules } from './rules.ts';

const roots = ['contract', 'src', 'local', 'sdk', 'cli', 'lambdas', 'lib', 'bin'];
const seeded = 'src/engine/seeded-violation';

async function violationsOf(paths: string[]): Promise<{ readonly modules: number; readonly found: readonly string[] }> {
  const { output } = await cruise(paths, {
    ruleSet: { forbidden: rules },
    validate: true,
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  });
  const { summary } = output as ICruiseResult;
  return {
    modules: summary.totalCruised,
    found: summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`),
  };
}

describe('the import rules of the folders', () => {
  afterAll(() => rm(seeded, { recursive: true, force: true }));

  test('hold, and every module was seen', { timeout: 120_000 }, async () => {
    const { modules, found } = await violationsOf(roots);
    expect(modules).toBeGreaterThan(150);
    expect(found).toEqual([]);
  });

  test('catch a seeded violation of each kind', { timeout: 120_000 }, async () => {
    await mkdir(seeded, { recursive: true });
    await writeFile(
      `${seeded}/seeded.ts`,
      "import { readFileSync } from 'node:fs';\nimport { Hono } from 'hono';\nimport { drive } from '../../service/drive/drive.ts';\nexport { drive, Hono, readFileSync };\n",
    );
    const { found } = await violationsOf([`${seeded}/seeded.ts`]);
    const names = found
      .filter((text) => text.includes('seeded.ts ->'))
      .map((text) => text.split(': ').slice(0, 2).join(': '));
    expect(names).toEqual(expect.arrayContaining(['src/engine: folders', 'src/engine: node', 'src/engine: packages']));
  });
});
