import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Duration } from 'aws-cdk-lib';
import { acknowledge } from '../constructs/acknowledge.ts';
import { HouseFunction } from '../constructs/house-function.ts';
import type { Making } from './making.ts';
import { allowAttachment, isolatedNetwork } from './sandbox-network.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = 'node_modules/.cache/touchstone-sandbox';

/** Pyodide as far as the interpreter needs it; src/adapters/sandbox/locked-process.ts looks for it here. */
const pyodide = ['package.json', 'pyodide.asm.mjs', 'pyodide.asm.wasm', 'python_stdlib.zip'];

/**
 * Python checks: the embedded host's interpreter, with the memory snapshot made here, in a function that may do nothing
 * and reach nothing (docs/decisions/aws-deployment.md).
 */
export function sandboxFunction({ scope, context, settings }: Making): HouseFunction {
  const sandbox = new HouseFunction(scope, 'Sandbox', context, {
    entry: 'lambdas/sandbox.ts',
    errorImpact: 'Checks that run Python code are inconclusive.',
    memory: 2_048,
    // The longest authored limit is cut at the deadline of a background attempt.
    timeout: Duration.seconds(310),
    files: {
      ...Object.fromEntries(pyodide.map((name) => [`node_modules/pyodide/${name}`, `node_modules/pyodide/${name}`])),
      'src/adapters/sandbox/worker': 'worker',
      ...snapshot(),
    },
    network: isolatedNetwork(scope),
    reservedConcurrency: settings.reserved_concurrency.sandbox,
    tracing: false,
  });
  allowAttachment(sandbox);
  acknowledge(sandbox.role, {
    'AwsSolutions-IAM5[Resource::*]':
      'Network interfaces have no names before they exist; the code itself is denied these calls.',
  });
  return sandbox;
}

/** Takes three seconds the first time, and is kept. A process of its own, since stacks never import product code. */
function snapshot(): Record<string, string> {
  if (!existsSync(join(root, cache))) mkdirSync(join(root, cache), { recursive: true });
  const name = execFileSync(process.execPath, [join(root, 'scripts/sandbox-assets.ts'), join(root, cache)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  return { [`${cache}/${name}`]: `sandbox/${name}` };
}
