import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatedFiles } from './generate/files.ts';

/**
 * Writes everything that is made from the source: JSON Schemas of Card files and the reference pages. Writing it again
 * changes nothing; `--check` writes nothing and fails when a file is not as it would be written.
 */
const root = new URL('../', import.meta.url);

async function current(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}

async function main(isCheck: boolean): Promise<void> {
  for (const { path, content } of generatedFiles()) {
    const file = fileURLToPath(new URL(path, root));
    if ((await current(file)) === content) continue;
    console.log(isCheck ? `not up to date: ${path}` : `written: ${path}`);
    if (isCheck) process.exitCode = 1;
    else {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
  }
}

await main(process.argv.includes('--check'));
