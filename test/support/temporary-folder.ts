import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Runs a test in a folder of its own that holds these files. */
export async function inFolder<Value>(
  files: Readonly<Record<string, string | Uint8Array>>,
  use: (folder: string) => Promise<Value>,
): Promise<Value> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'touchstone-test-')));
  try {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    }
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
