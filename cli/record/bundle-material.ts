import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { printable } from '../output/printable.ts';
import type { Terminal } from '../terminal.ts';
import type { MaterialOptions } from './read-material.ts';

/**
 * A folder as `record export` writes it stands for its files; options win over them. The keys of a bundle come from
 * whoever made it, so that is said.
 */
export async function bundleMaterial(
  path: string,
  options: MaterialOptions,
  terminal: Terminal,
): Promise<{ readonly file: string; readonly options: MaterialOptions }> {
  const at = (name: string) => resolve(terminal.workingFolder, path, name);
  if (!(await isFolder(at('.')))) return { file: path, options };
  const keys = options.keys ?? (await present(at('keys.json')));
  const result = options.result ?? (await present(at('result.json')));
  const evidence = options.evidence ?? (await present(at('evidence')));
  const cards = options.cards ?? (await present(at('cards')));
  if (options.keys === undefined && keys !== undefined) {
    terminal.err(
      `the keys are those of ${printable(join(path, 'keys.json'))}: compare them with keys from elsewhere\n`,
    );
  }
  return {
    file: join(path, 'record.json'),
    options: {
      ...(keys !== undefined && { keys }),
      ...(result !== undefined && { result }),
      ...(evidence !== undefined && { evidence }),
      ...(cards !== undefined && { cards }),
      ...(options.checkpoint !== undefined && { checkpoint: options.checkpoint }),
    },
  };
}

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
