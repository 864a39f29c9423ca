import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { printable } from '../output/printable.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import type { MaterialOptions } from './read-material.ts';

export interface HeldMaterial {
  readonly file: string;
  readonly options: MaterialOptions;
}

/**
 * What a path stands for: a record; or a folder or tar file as `record export` writes it, which stands for its files.
 * Options win over them. The keys of a bundle come from whoever made it, so that is said.
 */
export async function withMaterial<Value>(
  path: string,
  options: MaterialOptions,
  terminal: Terminal,
  use: (held: HeldMaterial) => Promise<Value>,
): Promise<Value> {
  const at = resolve(terminal.workingFolder, path);
  if (path.endsWith('.tar')) {
    const { unpackTar } = await import('./tar.ts');
    await using unpacked = await unpackTar(at, path);
    return await use(await filesOf(unpacked.folder, path, options, terminal));
  }
  return use((await isFolder(at)) ? await filesOf(at, path, options, terminal) : { file: path, options });
}

async function filesOf(
  folder: string,
  shown: string,
  options: MaterialOptions,
  terminal: Terminal,
): Promise<HeldMaterial> {
  const file = await present(join(folder, 'record.json'));
  if (file === undefined) throw new UsageError(`${shown}: there is no record.json in it`);
  const held: Record<string, string> = {};
  for (const [option, name] of Object.entries(namesOf)) {
    const found = await present(join(folder, name));
    if (found !== undefined) held[option] = found;
  }
  if (options.keys === undefined && held.keys !== undefined) {
    terminal.err(
      `the keys are those of ${printable(join(shown, 'keys.json'))}: compare them with keys from elsewhere\n`,
    );
  }
  return { file, options: { ...held, ...options } };
}

const namesOf = { keys: 'keys.json', result: 'result.json', evidence: 'evidence', cards: 'cards' } as const;

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function present(path: string): Promise<string | undefined> {
  return stat(path).then(
    () => path,
    () => undefined,
  );
}
