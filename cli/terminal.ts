import { styleText } from 'node:util';
import { UsageError } from './usage-error.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
/** Marks a text up, or returns it as it is where colours would be noise. */
export type Paint = (style: Style, text: string) => string;

/** Where a command writes. Data goes to `out`, everything said to the person to `err`. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  readonly paintOut: Paint;
  readonly paintErr: Paint;
  readonly isInteractive: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
  /** Text that is piped in, up to this many bytes; null when a person sits there. */
  readInput(limit: number): Promise<string | null>;
}

export function processTerminal(): Terminal {
  const environment = process.env;
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedPipe);
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    paintOut: paintFor(process.stdout.isTTY, environment),
    paintErr: paintFor(process.stderr.isTTY, environment),
    isInteractive: process.stderr.isTTY === true,
    environment,
    workingFolder: process.cwd(),
    readInput,
  };
}

async function readInput(limit: number): Promise<string | null> {
  if (process.stdin.isTTY) return null;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limit) throw new UsageError('standard input is too long');
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A reader that has seen enough (`| head`) is no reason to stop half way: what was started is finished and cleaned up. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** Colours only on a terminal, and not when the user says NO_COLOR (https://no-color.org). */
export function paintFor(
  isTerminal: boolean | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Paint {
  const isPlain = isTerminal !== true || (environment.NO_COLOR ?? '') !== '' || environment.TERM === 'dumb';
  return (style, text) => (isPlain ? text : styleText(style, text, { validateStream: false }));
}
