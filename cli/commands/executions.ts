import { type Command, InvalidArgumentError } from 'commander';
import type { ExecutionsPage } from '#sdk/index.ts';
import { connect, type GlobalOptions, writeJson } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printable } from '../output/printable.ts';
import { stateText } from '../output/state-text.ts';
import type { Terminal } from '../terminal.ts';

interface ExecutionsOptions extends GlobalOptions {
  readonly verdict?: string;
  readonly status?: string;
  readonly verifier?: string;
  readonly limit: number;
}

/** `touchstone executions [ID]`: what was judged before. Ends with 0 when it could be shown, whatever the verdict. */
export function addExecutionsCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('executions')
    .argument('[id]', 'show this one')
    .description('list what was judged, newest first, or show one')
    .option('--verdict <word>', 'passed, failed or inconclusive')
    .option('--status <word>', 'completed, errored, timed_out, …')
    .option('--verifier <name>', 'name, name@version or uid')
    .option('--limit <number>', 'how many, up to 200', toLimit, 20)
    .action(async (id: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<ExecutionsOptions>();
      const client = await connect(terminal, options);
      if (id === undefined) {
        const { verdict, status, verifier, limit } = options;
        const page = await client.listExecutions({
          limit,
          ...(verdict !== undefined && { verdict }),
          ...(status !== undefined && { status }),
          ...(verifier !== undefined && { verifier }),
        });
        if (options.json) writeJson(terminal, page);
        else terminal.out(page.items.map((item) => `${itemLine(item, terminal)}\n`).join(''));
      } else {
        const state = await client.getExecution(id);
        if (options.json) writeJson(terminal, state);
        else terminal.out(stateText(state, terminal));
      }
      end(exitCodes.passed);
    });
}

function toLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 200) throw new InvalidArgumentError('write a number from 1 to 200');
  return limit;
}

const styles = { passed: 'green', failed: 'red', inconclusive: 'yellow' } as const;

function itemLine(item: ExecutionsPage['items'][number], { paintOut }: Terminal): string {
  const { verdict, status, verifier, subject } = item;
  const word = (verdict ?? status).padEnd(12);
  const shown = verdict === undefined ? paintOut('dim', word) : paintOut(styles[verdict], word);
  const names = `${verifier.name}@${verifier.version ?? '?'} on ${subject.kind} ${subject.name}@${subject.version ?? '?'}`;
  return `${item.execution_id}  ${shown}  ${item.created_at}  ${printable(names)}`;
}
