import { type Command, InvalidArgumentError } from 'commander';
import { isJsonObject } from '#contract/cards/shared.ts';
import type { VerificationResult } from '#contract/result.ts';
import type { ExecutionState, ExecutionsPage } from '#sdk/index.ts';
import { connect, type GlobalOptions, writeJson } from '../context.ts';
import { citedText, type HeldEvidence } from '../evidence/cited-text.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printable } from '../output/printable.ts';
import { verdictTree } from '../output/verdict-tree.ts';
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

function stateText(state: ExecutionState, { paintOut }: Terminal): string {
  const { result } = state;
  if (result !== undefined) return verdictTree(result, citedText(heldOf(result)), paintOut);
  const why = state.error === undefined ? '' : ` ${printable(state.error.message)} [${printable(state.error.code)}]`;
  return `${state.status}${why}\n`;
}

/** The JSON evidence that the result itself shows. */
function heldOf({ outcome }: VerificationResult): ReadonlyMap<string, HeldEvidence> {
  return new Map(
    Object.entries(outcome.evidence).flatMap(([slot, pinned]) =>
      isJsonObject(pinned) && pinned.kind === 'json' && pinned.value !== undefined
        ? [[slot, { kind: 'json', value: pinned.value } as const] as const]
        : [],
    ),
  );
}
