import type { IForbiddenRuleType } from 'dependency-cruiser';

/** One row a folder: what it may import (docs/contributing in CONTRIBUTING.md, "Import rules"). By folder, never by name. */
interface Row {
  readonly folder: string;
  /** Regular expressions over resolved paths; packages of node_modules are ruled by `packages`. */
  readonly mayImport: readonly string[];
  /** Packages it may import; `'any'` where adapters need their libraries. */
  readonly packages: readonly string[] | 'any';
  /** Whether Node's own modules are there for it. */
  readonly node: boolean;
}

const rows: readonly Row[] = [
  { folder: 'contract', mayImport: ['^contract/'], packages: ['zod'], node: false },
  {
    folder: 'src/engine',
    mayImport: ['^contract/', '^src/engine/'],
    packages: [
      '@noble/curves',
      '@noble/hashes',
      '@stdlib/math-base-special-gammaln',
      '@stdlib/stats-base-dists-chisquare-quantile',
      '@stdlib/stats-base-dists-normal-quantile',
      'rregex',
      'zod',
    ],
    node: false,
  },
  {
    folder: 'src/service',
    mayImport: ['^contract/', '^src/engine/', '^src/service/'],
    packages: ['@noble/hashes', 'file-type', 'jose', 'pbf', 'semver', 'temporal-polyfill', 'tinyqueue', 'zod'],
    node: true,
  },
  {
    folder: 'src/adapters/embedded',
    mayImport: ['^contract/', '^src/service/', '^src/adapters/embedded/'],
    packages: 'any',
    node: true,
  },
  {
    folder: 'src/adapters/aws',
    mayImport: ['^contract/', '^src/service/', '^src/adapters/aws/'],
    packages: 'any',
    node: true,
  },
  {
    folder: 'src/adapters/models',
    mayImport: ['^contract/', '^src/service/ports', '^src/adapters/models/'],
    packages: 'any',
    node: true,
  },
  {
    folder: 'src/adapters/sandbox',
    mayImport: ['^contract/', '^src/service/ports', '^src/adapters/sandbox/'],
    packages: 'any',
    node: true,
  },
  {
    folder: 'src/adapters/grpc',
    mayImport: ['^contract/', '^src/adapters/grpc/'],
    packages: 'any',
    node: true,
  },
  {
    folder: 'src/adapters/parquet',
    mayImport: ['^contract/', '^src/service/ports', '^src/adapters/parquet/'],
    packages: 'any',
    node: true,
  },
  {
    folder: 'src/adapters/extract',
    mayImport: ['^contract/', '^src/engine/values/', '^src/service/ports', '^src/adapters/extract/'],
    packages: 'any',
    node: true,
  },
  {
    folder: 'src/adapters/tables',
    mayImport: ['^contract/', '^src/service/ports', '^src/adapters/tables/'],
    packages: 'any',
    node: true,
  },
  {
    folder: 'src/http',
    mayImport: ['^contract/', '^src/engine/', '^src/service/', '^src/http/', '^docs/schema/'],
    packages: ['hono', '@hono/zod-openapi', 'zod'],
    node: true,
  },
  {
    folder: 'local',
    mayImport: [
      '^contract/',
      '^src/engine/',
      '^src/service/',
      '^src/http/',
      '^src/adapters/(?!aws/)',
      '^local/',
      '^package\\.json$',
    ],
    packages: 'any',
    node: true,
  },
  { folder: 'sdk', mayImport: ['^contract/', '^sdk/', '^src/engine/record/'], packages: ['zod'], node: false },
  {
    folder: 'cli',
    mayImport: ['^contract/', '^src/engine/', '^sdk/', '^local/', '^cli/', '^package\\.json$'],
    packages: 'any',
    node: true,
  },
];

/** What is deployed and what deploys it. */
const deployment: readonly Row[] = [
  {
    folder: 'lambdas',
    // Composition only: one file a function, which share `compose/` and never import each other.
    mayImport: [
      '^contract/',
      '^src/service/',
      '^src/http/',
      '^src/adapters/(?!embedded/)',
      '^lambdas/compose/',
      '^package\\.json$',
    ],
    packages: 'any',
    node: true,
  },
  {
    folder: 'lib',
    mayImport: ['^contract/', '^lib/'],
    packages: ['aws-cdk-lib', 'cdk-nag', 'constructs', 'esbuild', 'zod'],
    node: true,
  },
  { folder: 'bin', mayImport: ['^lib/'], packages: ['aws-cdk-lib'], node: true },
];

const productFolders = '^(contract|src|local|sdk|cli|lib|lambdas|bin|console)/';

export const rules: IForbiddenRuleType[] = [
  ...[...rows, ...deployment].flatMap(rulesOf),
  {
    // The check of a record is the engine; the rest of the client must not carry it (docs/decisions/record-checks.md).
    name: 'sdk: engine in record.ts only',
    severity: 'error',
    from: { path: '^sdk/', pathNot: '^sdk/record\\.ts$' },
    to: { path: ['^src/engine/', '^sdk/record\\.ts$'] },
  },
  { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
  { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
  {
    name: 'product-not-to-test',
    severity: 'error',
    from: { path: productFolders },
    to: { path: '^(test|scripts|examples)/' },
  },
  {
    name: 'no-dev-dependency',
    severity: 'error',
    // Stacks are made by whoever deploys, from a checkout: their libraries are no part of the product.
    from: { path: productFolders, pathNot: '^(lib|bin)/' },
    to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
  },
];

function rulesOf({ folder, mayImport, packages, node }: Row): IForbiddenRuleType[] {
  const from = { path: `^${folder}/` };
  const own = [...mayImport, '^node_modules/', '^(node:)?[a-z_/]+$'];
  const list: IForbiddenRuleType[] = [
    { name: `${folder}: folders`, severity: 'error', from, to: { pathNot: own, dependencyTypesNot: ['core'] } },
  ];
  if (packages !== 'any') {
    const allowed = packages.map((name) => `^node_modules/${name}/`);
    list.push({
      name: `${folder}: packages`,
      severity: 'error',
      from,
      to: { path: '^node_modules/', pathNot: allowed },
    });
  }
  if (!node) list.push({ name: `${folder}: node`, severity: 'error', from, to: { dependencyTypes: ['core'] } });
  return list;
}
