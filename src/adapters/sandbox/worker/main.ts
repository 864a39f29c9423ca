import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readSync, writeSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Outside } from './boundary.ts';
import { startInterpreter } from './interpreter.ts';
import { createSession } from './session.ts';

/**
 * The locked process around one interpreter: `main.ts build|serve|serve-unconnected <pyodide folder> <harness> [<snapshot>]`.
 * `build` writes the worker as JavaScript and a snapshot to standard output (../prepare.ts). `serve` writes one byte when it is ready, takes one request from
 * standard input, writes one report and is gone.
 */
const [mode, folder, harness, snapshotFile] = process.argv.slice(2);
if (folder === undefined || harness === undefined) throw new Error('arguments are missing');
requireLocked();
const leave: (code: number) => never = Reflect.get(process, 'reallyExit').bind(process);

const assets = {
  factory: (await import(pathToFileURL(`${folder}/pyodide.asm.mjs`).href)).default,
  wasm: readFileSync(`${folder}/pyodide.asm.wasm`),
  stdlib: readFileSync(`${folder}/python_stdlib.zip`),
  harness: readFileSync(harness, 'utf8'),
};
const snapshot = mode !== 'build' && snapshotFile !== undefined ? readFileSync(snapshotFile) : null;
const scripts = mode === 'build' ? javascript(dirname(fileURLToPath(import.meta.url))) : '';
const session = createSession({
  ready: () => write(new Uint8Array([1])),
  readExactly,
  finish: (report) => {
    write(report);
    return leave(0);
  },
  sha256: (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest()),
});
lock(session);

const interpreter = await startInterpreter(assets, session, snapshot);
if (mode === 'build') {
  const text = new TextEncoder().encode(scripts);
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, text.length);
  for (const part of [length, text, interpreter.snapshot()]) write(part);
  leave(0);
}
try {
  interpreter.serve();
} catch (error) {
  // A stack that ran out shows here: its frames belong to the engine, not to Python.
  session.fault(error instanceof RangeError ? 'memory' : 'abort');
}
session.fault('abort');

/**
 * What even a program that reached JavaScript must not find: signals to other processes, their debuggers and
 * priorities, further modules. Files, network, processes, workers and addons are denied by the process's own flags.
 */
function lock(outside: Outside): void {
  registerHooks({
    resolve: () => {
      throw new Error('no further module');
    },
  });
  for (const name of Reflect.ownKeys(process)) {
    const property = Object.getOwnPropertyDescriptor(process, name);
    if (property?.configurable === true && typeof property.value === 'function') Reflect.deleteProperty(process, name);
  }
  // Deleted, not redefined: to redefine some of them would load what is behind them first.
  for (const name of ['process', 'fetch', 'WebSocket', 'EventSource', 'navigator', 'Buffer', 'global']) {
    if (!Reflect.deleteProperty(globalThis, name)) throw new Error('the process cannot be locked');
  }
  Date.now = () => outside.clock;
}

/**
 * Refuses to run where the flags are missing or mean less than they say, as those of Node 24 do for the network; there
 * the starter must vouch that the machine reaches none.
 */
function requireLocked(): void {
  const permission: { has(scope: string): boolean } | undefined = Reflect.get(process, 'permission');
  const open = ['net', 'child', 'worker', 'addon', 'wasi', 'inspector', 'fs.write', 'fs.read'];
  const major = Number(process.versions.node.split('.')[0]);
  const networkDenied = major >= 26 || mode === 'serve-unconnected';
  if (permission === undefined || !networkDenied || open.some((scope) => permission.has(scope))) {
    throw new Error('the process is not locked');
  }
}

/** Types are stripped once: at each start it would cost a quarter of it. */
function javascript(folder: string): string {
  const names = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const texts = names.map((name) => {
    const text = stripTypeScriptTypes(readFileSync(join(folder, name), 'utf8'));
    return [name.replace(/ts$/, 'mjs'), text.replaceAll(/(from '\.\/[a-z-]+\.)ts'/g, "$1mjs'")];
  });
  return JSON.stringify(Object.fromEntries(texts));
}

function readExactly(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const got = readSync(0, bytes, at, length - at, null);
    // The host is gone.
    if (got === 0) leave(0);
    at += got;
  }
  return bytes;
}

function write(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}
