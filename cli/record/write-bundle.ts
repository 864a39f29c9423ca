import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from '../usage-error.ts';
import type { Bundle } from './gather-bundle.ts';
import { toTar } from './tar.ts';

/** A folder, or one file when the path ends with `.tar`. Nothing that is there is written over. */
export async function writeBundle(path: string, files: Bundle): Promise<void> {
  try {
    if (path.endsWith('.tar')) return await writeFile(path, await toTar(files), { flag: 'wx' });
    await mkdir(path, { recursive: false });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new UsageError(`--out: ${path} is there already`, { cause: error });
    }
    throw error;
  }
  for (const [name, content] of files) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content, { flag: 'wx' });
  }
}
