import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

const maxEntries = 10_000;
const maxDepth = 16;

/** A path that cannot be used as it was given. */
export class PathError extends Error {
  override readonly name = 'PathError';
}

export interface FoundFiles {
  /** Real paths, sorted. */
  readonly files: readonly string[];
  /** Whether the user named the one file; in a folder, files that are no Cards are left alone. */
  readonly isSingle: boolean;
  /** Nothing outside this real folder is read, whatever a reference or a symbolic link says. */
  readonly root: string;
}

/**
 * The files that a path stands for. The root is the working folder when the path lies in it, else the path's own folder:
 * so `./../shared/judge.yaml` works inside a project, and no checked-out Card can make us read `/etc`.
 */
export async function findCardFiles(path: string, workingFolder: string): Promise<FoundFiles> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) throw new PathError(`${path}: there is no such file or folder`);
  const isFolder = (await stat(real)).isDirectory();
  const own = isFolder ? real : dirname(real);
  const working = await realpath(workingFolder);
  const root = isInside(real, working) ? working : own;
  if (!isFolder) return { files: [real], isSingle: true, root };
  const files = (await walk(real)).sort();
  return { files, isSingle: false, root };
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !way.startsWith('/'));
}

/** Regular files only: symbolic links are not followed. Folders that begin with a dot and node_modules are left out. */
async function walk(folder: string): Promise<string[]> {
  const found: string[] = [];
  const waiting = [{ folder, depth: 0 }];
  let seen = 0;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    for (const entry of await listFolder(next.folder)) {
      seen += 1;
      if (seen > maxEntries) throw new PathError(`${folder}: more than ${maxEntries} files and folders`);
      const path = join(next.folder, entry.name);
      if (
        entry.isDirectory() &&
        !entry.name.startsWith('.') &&
        entry.name !== 'node_modules' &&
        next.depth < maxDepth
      ) {
        waiting.push({ folder: path, depth: next.depth + 1 });
      }
      if (entry.isFile() && /\.(?:ya?ml|json)$/.test(entry.name)) found.push(path);
    }
  }
  return found;
}

async function listFolder(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    throw new PathError(`${folder}: the folder cannot be read`, { cause: error });
  }
}
