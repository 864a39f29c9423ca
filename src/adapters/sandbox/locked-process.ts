import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { limits } from './limits.ts';

/** What the locked process reads, and with it everything it can read. */
export interface LockedFiles {
  readonly node: string;
  /** Folder of main.ts or main.mjs and its neighbours. */
  readonly worker: string;
  readonly entry: string;
  readonly snapshot: string | null;
  /** The machine itself reaches no network (a function in subnets without a route): then Node 24 is enough. */
  readonly unconnected?: boolean;
}

export const workerFolder = fileURLToPath(new URL('./worker/', import.meta.url));
export const pyodideFolder = realpathSync(dirname(createRequire(import.meta.url).resolve('pyodide/package.json')));

/**
 * Starts Node 26 with nothing: two pipes, no environment, no network, files, processes, workers or addons, no code from
 * strings, and kernel limits on processor time, core dumps and file size. Ends with its host: its standard input
 * closes, or its processor time runs out.
 */
export function startLockedProcess(mode: 'build' | 'serve', files: LockedFiles): ChildProcessWithoutNullStreams {
  const readable = [files.worker, pyodideFolder, `${workerFolder}harness.py`, files.snapshot];
  const flags = [
    '--permission',
    ...readable.flatMap((path) => (path === null ? [] : [`--allow-fs-read=${path}`])),
    '--disallow-code-generation-from-strings',
    '--no-addons',
    '--no-deprecation',
    '--max-old-space-size=96',
    // The start allocates more than the default young space and keeps little of it.
    '--min-semi-space-size=32',
    '--max-semi-space-size=32',
    // The module is ours: functions are validated when first compiled, and optimized when a call runs long.
    '--wasm-lazy-validation',
    '--wasm-tiering-budget=1300000000',
  ];
  const serving = files.unconnected === true ? 'serve-unconnected' : mode;
  const script = [files.entry, serving, pyodideFolder, `${workerFolder}harness.py`];
  if (files.snapshot !== null) script.push(files.snapshot);
  const limitThenRun = `ulimit -c 0 && ulimit -f 0 && ulimit -t ${limits.processor_seconds} && exec "$0" "$@"`;
  return spawn('/bin/sh', ['-c', limitThenRun, files.node, ...flags, ...script], {
    cwd: '/',
    env: { TZ: 'UTC' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}
