import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

const longest = 16_384;

/**
 * A secret from the variable that is named, or else from standard input. Never from the command line: other users of the
 * machine see that, and shells remember it.
 */
export async function readSecret(terminal: Terminal, variable: string | undefined): Promise<string> {
  const text = variable === undefined ? await terminal.readInput(longest) : terminal.environment[variable];
  // The line break that `echo` and editors add is no part of it.
  const secret = (text ?? '').replace(/\r?\n$/, '');
  if (secret !== '') return secret;
  if (variable !== undefined) throw new UsageError('--secret-env: the variable is not set');
  throw new UsageError('no secret: pipe it in, or name a variable with --secret-env');
}
