import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * The Node 26 that runs the interpreter, from runtime/package.json: from 26 on `--permission` denies the network too,
 * before it does not (docs/decisions/sandbox.md). Null when it is not installed.
 */
export function findNodeBinary(): string | null {
  try {
    const manifest = createRequire(new URL('./runtime/package.json', import.meta.url)).resolve('node/package.json');
    const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
    const binary = join(dirname(manifest), 'bin', 'node');
    return String(version).startsWith('26.') && existsSync(binary) ? binary : null;
  } catch {
    return null;
  }
}
