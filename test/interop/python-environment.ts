import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const folder = join(root, '.interop');
const requirements = join(import.meta.dirname, 'requirements.txt');

/** Path of a Python that has the pinned packages; made the first time and when they change. */
export async function pythonOfStrangers(): Promise<string> {
  const python = join(folder, 'venv', 'bin', 'python');
  const mark = join(folder, 'installed.txt');
  const wanted = await readFile(requirements, 'utf8');
  if ((await readFile(mark, 'utf8').catch(() => '')) === wanted) return python;
  await rm(folder, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', join(folder, 'venv')]);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements]);
  await writeFile(mark, wanted);
  return python;
}
