import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A folder ready to be a function's code, and how many bytes of script it has. */
export interface Bundle {
  readonly folder: string;
  readonly script_bytes: number;
}

export interface BundleOptions {
  /** Path in the project, e.g. `lambdas/api.ts`: the module whose `handler` runs. */
  readonly entry: string;
  /** Modules, as the source names them, whose routes another function serves. */
  readonly elsewhere?: readonly string[];
  /** Further scripts that the function starts itself; each becomes `<its base name>.mjs`. */
  readonly workers?: readonly string[];
  /** Path in the project → path beside the script. */
  readonly files?: Readonly<Record<string, string>>;
  /** Name beside the script → text. */
  readonly texts?: Readonly<Record<string, string>>;
}

/** The regex engine reads its WebAssembly module beside the script that holds it (src/engine/values/regex.ts). */
export const engineFiles = { 'node_modules/rregex/lib/rregex.wasm': 'rregex.wasm' } as const;

const made = new Map<string, Bundle>();

/**
 * Bundles one function as ES modules with code splitting: what is imported on demand is read and compiled on demand, so
 * a cold start pays for its own route only. The AWS SDK is part of it: the version that was tested is the one that runs.
 */
export function bundle(options: BundleOptions): Bundle {
  const { entry, elsewhere = [], workers, files, texts } = options;
  const key = JSON.stringify([entry, elsewhere, workers, files, texts]);
  const known = made.get(key);
  if (known) return known;
  const folder = mkdtempSync(join(tmpdir(), `touchstone-${basename(options.entry, '.ts')}-`));
  const script_bytes = runBundler({ entryPoints: entryPoints(options), outdir: folder, elsewhere });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n');
  for (const [from, to] of Object.entries(options.files ?? {})) {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    cpSync(join(root, from), join(folder, to), { recursive: true, dereference: true });
  }
  for (const [to, text] of Object.entries(options.texts ?? {})) writeFileSync(join(folder, to), text);
  readableByAll(folder);
  const bundled = { folder, script_bytes };
  made.set(key, bundled);
  return bundled;
}

/** In a process of its own: constructs are made synchronously, and plugins of the bundler are not. */
function runBundler(what: {
  readonly entryPoints: readonly object[];
  readonly outdir: string;
  readonly elsewhere: readonly string[];
}): number {
  const script = join(root, 'lib/bundler/main.ts');
  const answer = execFileSync(process.execPath, [script, JSON.stringify(what)], { cwd: root, encoding: 'utf8' });
  return Number(answer);
}

/** The platform runs functions as another user than the one who packed them. */
function readableByAll(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  }
}

process.once('exit', () => {
  for (const { folder } of made.values()) rmSync(folder, { recursive: true, force: true });
});

function entryPoints({ entry, workers = [] }: BundleOptions): { in: string; out: string }[] {
  return [{ in: entry, out: 'index' }, ...workers.map((path) => ({ in: path, out: basename(path, '.ts') }))];
}
