import type { Client } from '#sdk/index.ts';
import { printableJson } from './output/printable.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

const defaultUrl = 'http://127.0.0.1:8787';

/** The options that every command has. */
export interface GlobalOptions {
  readonly url?: string;
  readonly json?: boolean;
  readonly progress?: boolean;
}

/** A client of the service that the options, or else the environment, name. */
export async function connect(terminal: Terminal, { url }: GlobalOptions): Promise<Client> {
  // Commands load what they use when they run: a command line should answer at once.
  const { createClient } = await import('#sdk/index.ts');
  const { TOUCHSTONE_URL, TOUCHSTONE_API_KEY } = terminal.environment;
  const apiKey = TOUCHSTONE_API_KEY ?? '';
  try {
    return createClient({ url: url ?? (TOUCHSTONE_URL || defaultUrl), ...(apiKey !== '' && { apiKey }) });
  } catch (error) {
    throw new UsageError(`--url: ${error instanceof Error ? error.message : 'not a URL'}`, { cause: error });
  }
}

/** Says what is going on, to a person who would wait otherwise. */
export function progress(terminal: Terminal, options: GlobalOptions, text: string): void {
  if (options.progress ?? terminal.isInteractive) terminal.err(`${terminal.paintErr('dim', text)}\n`);
}

export function writeJson(terminal: Terminal, value: unknown): void {
  terminal.out(`${printableJson(value)}\n`);
}
