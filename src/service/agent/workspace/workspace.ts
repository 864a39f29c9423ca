import type { MediaFormat } from '#contract/formats.ts';
import { compareBytes } from '#engine/values/canonical.ts';
import type { LinePlaces } from './line-places.ts';

/** One file of a workspace, in memory: nothing of it reaches a disk, and it is gone with the call. */
export interface HeldFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly format: MediaFormat | null;
  /** Slots of the evidence behind it. */
  readonly slots: readonly string[];
  readonly places: LinePlaces;
  /** It is a slot's own file, not a member of an archive, a value or made here: its extract output can be cited. */
  readonly whole: boolean;
}

/** `/inputs` read-only, `/work` an empty scratch (docs/spec/verification.md §4.4). */
export interface Workspace {
  file(path: string): HeldFile | undefined;
  /** Files at or below a path, in byte order of their paths. */
  below(path: string): readonly HeldFile[];
  /** Puts a file below `/work`; says why not. */
  write(file: HeldFile): 'written' | 'not_work' | 'full';
}

const maxScratchFiles = 1_000;
const maxScratchBytes = 64 << 20;

export function createWorkspace(inputs: readonly HeldFile[]): Workspace {
  const files = new Map(inputs.map((file) => [file.path, file]));
  const scratch = new Map<string, number>();
  return {
    file: (path) => files.get(path),
    below: (path) =>
      [...files.values()]
        .filter((file) => isBelow(file.path, path))
        .sort((left, right) => compareBytes(left.path, right.path)),
    write: (file) => {
      if (!isScratchPath(file.path)) return 'not_work';
      const others = [...scratch].filter(([path]) => path !== file.path);
      const held = others.reduce((sum, [, size]) => sum + size, 0);
      if (others.length >= maxScratchFiles || held + file.bytes.byteLength > maxScratchBytes) return 'full';
      // A file cannot be the folder of another.
      if (others.some(([path]) => isBelow(path, file.path) || isBelow(file.path, path))) return 'not_work';
      scratch.set(file.path, file.bytes.byteLength);
      files.set(file.path, file);
      return 'written';
    },
  };
}

function isBelow(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** `/work/…`: plain segments only, none of them a way out. */
function isScratchPath(path: string): boolean {
  if (!path.startsWith('/work/') || path.length > 1_024 || /[\p{Cc}\\]/u.test(path)) return false;
  return path
    .slice(1)
    .split('/')
    .every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}
