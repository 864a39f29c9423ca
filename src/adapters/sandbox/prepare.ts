import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limits } from './limits.ts';
import { type LockedFiles, pyodideFolder, startLockedProcess, workerFolder } from './locked-process.ts';

/** What a call starts from. */
export interface Prepared {
  readonly files: LockedFiles;
  /** Build of the interpreter, for the record. */
  readonly interpreter: string;
  /** Removes what was made for this process alone. */
  discard(): Promise<void>;
}

const digestFile = 'sha256';
const mostBuildBytes = 320 << 20;

/**
 * The snapshot and the worker's JavaScript below `cache`, made once for a build of the interpreter: written beside,
 * then renamed, and used only with the digest written with them. Without a usable cache they live in a folder of the
 * system's temporary files until `discard`. Throws when the interpreter does not start.
 */
export async function prepare(node: string, cache: string | null): Promise<Prepared> {
  const build = await buildDigest();
  const interpreter = `pyodide ${await pyodideVersion()} sha256:${build}`;
  const kept = cache === null ? null : join(cache, `sandbox-${build}`);
  if (kept !== null && (await isSound(kept))) return prepared(node, kept, interpreter, false);
  const made = await makeSnapshot(node);
  if (kept !== null && cache !== null && (await store(made, cache, kept))) {
    return prepared(node, kept, interpreter, false);
  }
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-sandbox-'));
  await writeAll(made, folder);
  return prepared(node, folder, interpreter, true);
}

function prepared(node: string, folder: string, interpreter: string, temporary: boolean): Prepared {
  return {
    files: { node, worker: folder, entry: join(folder, 'main.mjs'), snapshot: join(folder, 'snapshot') },
    interpreter,
    discard: async () => {
      if (temporary) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Names every byte that decides what an answer is. */
async function buildDigest(): Promise<string> {
  const digest = createHash('sha256');
  const worker = (await readdir(workerFolder)).sort().map((name) => join(workerFolder, name));
  const parts = ['pyodide.asm.mjs', 'pyodide.asm.wasm', 'python_stdlib.zip'].map((name) => join(pyodideFolder, name));
  for (const path of [...parts, ...worker])
    digest.update(
      createHash('sha256')
        .update(await readFile(path))
        .digest(),
    );
  return digest.digest('hex');
}

async function pyodideVersion(): Promise<string> {
  return String(JSON.parse(await readFile(join(pyodideFolder, 'package.json'), 'utf8')).version);
}

/** Made by a locked process too: `{name: text}` of the worker as JSON after its u32 length, then the snapshot. */
async function makeSnapshot(node: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const child = startLockedProcess('build', {
    node,
    worker: workerFolder,
    entry: join(workerFolder, 'main.ts'),
    snapshot: null,
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), limits.start_ms);
  try {
    const parts: Buffer[] = [];
    let length = 0;
    child.stderr.resume();
    for await (const part of child.stdout) {
      length += part.length;
      if (length > mostBuildBytes) throw new Error('the sandbox gave no snapshot');
      parts.push(part);
    }
    const bytes = Buffer.concat(parts);
    const scripts = bytes.length > 4 ? bytes.readUInt32BE(0) : 0;
    if (scripts === 0 || bytes.length <= 4 + scripts) throw new Error('the sandbox gave no snapshot');
    const texts: Record<string, string> = JSON.parse(bytes.toString('utf8', 4, 4 + scripts));
    const files = Object.entries(texts).map(([name, text]): [string, Uint8Array] => [name, Buffer.from(text)]);
    return new Map([...files, ['snapshot', bytes.subarray(4 + scripts)]]);
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}

function digestOf(files: ReadonlyMap<string, Uint8Array>): string {
  const digest = createHash('sha256');
  for (const name of [...files.keys()].sort()) {
    digest.update(`${name}\n`).update(
      createHash('sha256')
        .update(files.get(name) ?? new Uint8Array())
        .digest(),
    );
  }
  return digest.digest('hex');
}

async function writeAll(files: ReadonlyMap<string, Uint8Array>, folder: string): Promise<void> {
  for (const [name, bytes] of files) await writeFile(join(folder, name), bytes, { mode: 0o600 });
  await writeFile(join(folder, digestFile), digestOf(files), { mode: 0o600 });
}

async function store(files: ReadonlyMap<string, Uint8Array>, cache: string, kept: string): Promise<boolean> {
  try {
    await mkdir(cache, { recursive: true, mode: 0o700 });
    const beside = await mkdtemp(join(cache, 'sandbox-making-'));
    try {
      await writeAll(files, beside);
      await rename(beside, kept).catch(async () => {
        // Another host was faster, or what is there is damaged.
        if (await isSound(kept)) return;
        await rm(kept, { recursive: true, force: true });
        await rename(beside, kept);
      });
    } finally {
      await rm(beside, { recursive: true, force: true });
    }
    return await isSound(kept);
  } catch {
    return false;
  }
}

async function isSound(folder: string): Promise<boolean> {
  try {
    await access(folder);
    const names = (await readdir(folder)).filter((name) => name !== digestFile);
    const files = new Map<string, Uint8Array>();
    for (const name of names) files.set(name, await readFile(join(folder, name)));
    return files.has('main.mjs') && digestOf(files) === (await readFile(join(folder, digestFile), 'utf8'));
  } catch {
    return false;
  }
}
